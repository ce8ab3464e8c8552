/**
 * How stored events are found that are due, for applications that put the parts together themselves. Begin with
 * {@link io.outbox.poller.OutboxPoller}.
 */
@NullMarked
package io.outbox.poller;

import org.jspecify.annotations.NullMarked;
