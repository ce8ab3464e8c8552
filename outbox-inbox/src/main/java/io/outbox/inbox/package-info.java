/**
 * Idempotent consumers: {@link io.outbox.inbox.OutboxIdempotentConsumer} lets each event have its effect once, however
 * often a broker or an outbox delivers it. {@link io.outbox.inbox.JdbcInbox} makes one from a data source.
 */
@NullMarked
package io.outbox.inbox;

import org.jspecify.annotations.NullMarked;
