/**
 * How due events are found in the store: when to read, how to walk, and whom to hand events to. Begin with
 * {@link io.outbox.internal.polling.PollingLoop}.
 */
package io.outbox.internal.polling;
