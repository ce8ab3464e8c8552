/**
 * What to do about events that were given up: {@link io.outbox.dead.DeadEventManager} lists, counts and replays them.
 */
@NullMarked
package io.outbox.dead;

import org.jspecify.annotations.NullMarked;
