/**
 * What to do about events that were given up: {@link io.outbox.dead.DeadEventManager} lists, counts and replays them.
 */
package io.outbox.dead;
