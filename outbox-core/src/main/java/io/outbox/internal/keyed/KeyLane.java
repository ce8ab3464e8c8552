package io.outbox.internal.keyed;

/**
 * One of the lanes to which events go that keep their order. What one lane holds takes nothing from the others.
 * Thread-safe.
 */
public interface KeyLane {

    /** Returns how many events would be taken now, at most. */
    int coldRoom();

    /** Returns how many events may wait in memory. */
    int coldCapacity();

    /** Returns how many events are delivered at the same time. */
    int concurrency();
}
