/**
 * How events are delivered: retries, lanes, interceptors. Begin with {@link io.outbox.dispatch.OutboxDispatcher} and
 * {@link io.outbox.dispatch.RetryPolicy}.
 */
@NullMarked
package io.outbox.dispatch;

import org.jspecify.annotations.NullMarked;
