/**
 * The SQL of the outbox. A store answers for everything that is particular to its database: statements, purgers, DDL,
 * catalog. Begin with {@link io.outbox.jdbc.store.AbstractJdbcOutboxStore}.
 */
package io.outbox.jdbc.store;
