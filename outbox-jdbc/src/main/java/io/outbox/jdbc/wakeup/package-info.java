/**
 * Hints between processes over the database, where it has notifications: {@link io.outbox.jdbc.wakeup.PostgresWakeUp}.
 */
package io.outbox.jdbc.wakeup;
