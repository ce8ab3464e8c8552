/**
 * Delivers events of one key in order: which keys to look at, and what of a key this node has in its hands. See
 * {@link io.outbox.internal.keyed.KeyLoop}.
 */
package io.outbox.internal.keyed;
