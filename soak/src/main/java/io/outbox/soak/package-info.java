/**
 * Nodes as processes on one real database, killed, frozen and cut off under load, and judged by ledgers outside of the
 * database: begin with {@link io.outbox.soak.SoakRun}.
 */
package io.outbox.soak;
