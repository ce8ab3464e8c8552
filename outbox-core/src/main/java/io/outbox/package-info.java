/**
 * What applications write events with and receive them by. Begin with {@link io.outbox.Outbox}, which puts everything
 * together; business code then knows {@link io.outbox.OutboxWriter} and {@link io.outbox.EventListener}.
 */
@NullMarked
package io.outbox;

import org.jspecify.annotations.NullMarked;
