/**
 * Several listeners for one event, each with a row of its own. Begin with {@link
 * io.outbox.internal.subscription.Subscriptions}.
 */
package io.outbox.internal.subscription;
