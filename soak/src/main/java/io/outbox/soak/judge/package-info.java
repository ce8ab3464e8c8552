/** Compares the ledgers with the table and the faults: {@link io.outbox.soak.judge.Judge} has the rules. */
package io.outbox.soak.judge;
