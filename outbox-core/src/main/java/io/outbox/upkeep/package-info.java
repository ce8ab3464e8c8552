/**
 * Work that goes on by itself for as long as an outbox lives: how it is scheduled ({@link io.outbox.upkeep.Chores}), how its
 * lasting faults are logged ({@link io.outbox.upkeep.Outage}), and how its threads end ({@link io.outbox.upkeep.Shutdown}).
 */
package io.outbox.upkeep;
