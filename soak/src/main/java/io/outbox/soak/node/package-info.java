/**
 * The program of a node, which runs in a process of its own: {@link io.outbox.soak.node.NodeMain} writes and delivers,
 * and notes both in its ledger.
 */
package io.outbox.soak.node;
