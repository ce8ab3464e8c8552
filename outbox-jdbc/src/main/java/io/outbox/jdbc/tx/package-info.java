/**
 * Transactions by hand, for applications without a transaction framework. Begin with
 * {@link io.outbox.jdbc.tx.JdbcTransactionManager}.
 */
package io.outbox.jdbc.tx;
