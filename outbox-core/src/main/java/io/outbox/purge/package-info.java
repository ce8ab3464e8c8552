/**
 * How finished events are deleted in the end: {@link io.outbox.purge.OutboxPurgeScheduler}.
 */
@NullMarked
package io.outbox.purge;

import org.jspecify.annotations.NullMarked;
