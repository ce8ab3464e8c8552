/**
 * What this node has to know about its store: whether it can be relied on at present, and which changes it refuses.
 * Begin with {@link io.outbox.internal.watch.StoreWatch}.
 */
package io.outbox.internal.watch;
