/**
 * How finished events are deleted in the end: {@link io.outbox.purge.OutboxPurgeScheduler}.
 */
package io.outbox.purge;
