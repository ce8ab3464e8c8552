package io.outbox.spi;

import java.util.Set;

/**
 * Another transaction has locked the rows of some events, for example one that is open at a console. Nothing was
 * changed; the same change for the other events can be tried at once, and for these later. This is an answer: the store
 * can be reached.
 */
public class EventsLockedException extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    private final transient Set<String> eventIds;

    public EventsLockedException(Set<String> eventIds) {
        super("Another transaction keeps event " + eventIds.iterator().next()
                + (eventIds.size() == 1 ? "" : " and " + (eventIds.size() - 1) + " others")
                + " locked in the database. Find the open transaction that changed or locked them, and end it");
        this.eventIds = Set.copyOf(eventIds);
    }

    @Override
    public boolean isWithoutEffect() {
        return true;
    }

    /** Returns the events that are locked, at least one of those that were to be changed. */
    public Set<String> eventIds() {
        return eventIds;
    }
}
