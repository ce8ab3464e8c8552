/**
 * Work that goes on by itself for as long as an outbox lives: how it is scheduled ({@link io.outbox.upkeep.Chores}),
 * how its lasting faults are logged ({@link io.outbox.upkeep.Outage}), how its threads end ({@link
 * io.outbox.upkeep.Shutdown}), and how hints for it are sent and passed on ({@link io.outbox.upkeep.HintDebounce},
 * {@link io.outbox.upkeep.HintListeners}).
 */
@NullMarked
package io.outbox.upkeep;

import org.jspecify.annotations.NullMarked;
