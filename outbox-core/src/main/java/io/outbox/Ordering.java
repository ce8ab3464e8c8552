package io.outbox;

import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/**
 * The order in which an outbox delivers the events of one key, on every node. Immutable.
 *
 * <p>With {@link #byKey()}, events with the same {@linkplain EventEnvelope#key() key} and aggregate type are delivered
 * in the order in which they were written: an event is delivered when those before it are finished, through retries,
 * restarts and takeovers, whichever node has them. Each {@linkplain Subscription subscription} has its own order.
 * Events without a key, delayed events, {@linkplain #except excepted types} and {@linkplain #exceptSubscriptions
 * excepted subscriptions} have none. Events of different keys do not wait for each other.
 *
 * <p>An event gets its place when it is written, before its transaction commits. Transactions that overlap on a key and
 * are not serialised by the application have no defined order; {@link #lockingWrites()} serialises them.
 */
public final class Ordering {

    /** What becomes of an event that has used up its attempts, or that can never succeed. */
    public enum OnExhausted {
        /** It stays where it is, and its key waits, until an operator resumes or skips it. */
        PARK,
        /** It goes DEAD, or becomes a dead letter, and its key goes on. */
        SKIP
    }

    private static final Ordering BY_KEY = new Ordering(Set.of(), Set.of(), false, OnExhausted.PARK);

    private final Set<String> exceptions;
    private final Set<String> subscriptionExceptions;
    private final boolean locksWrites;
    private final OnExhausted onExhausted;

    private Ordering(
            Set<String> exceptions, Set<String> subscriptionExceptions, boolean locksWrites, OnExhausted onExhausted) {
        this.exceptions = exceptions;
        this.subscriptionExceptions = subscriptionExceptions;
        this.locksWrites = locksWrites;
        this.onExhausted = onExhausted;
    }

    /** Delivers events of one key in the order in which they were written; parks an event that fails for good. */
    public static Ordering byKey() {
        return BY_KEY;
    }

    /** Returns the same order, without events of these types, which are delivered as if they had no key. */
    public Ordering except(String... eventTypes) {
        return new Ordering(
                with(exceptions, eventTypes, "eventType"), subscriptionExceptions, locksWrites, onExhausted);
    }

    /**
     * Returns the same order, without {@linkplain Subscription subscriptions} of these names: their events are
     * delivered as if they had no key, and one that fails holds up none of the others.
     */
    public Ordering exceptSubscriptions(String... names) {
        return new Ordering(exceptions, with(subscriptionExceptions, names, "subscription"), locksWrites, onExhausted);
    }

    private static Set<String> with(Set<String> names, String[] more, String what) {
        Set<String> all = new LinkedHashSet<>(names);
        for (String name : more) {
            all.add(Check.notBlank(name, what));
        }
        return Set.copyOf(all);
    }

    /**
     * Returns the same order, with writers of one key waiting for each other: from the first event of a key until the
     * transaction that wrote it ends, other transactions that write events of the key wait. For applications that do
     * not serialise them anyway, by a row lock or a version column of the aggregate.
     */
    public Ordering lockingWrites() {
        return new Ordering(exceptions, subscriptionExceptions, true, onExhausted);
    }

    /** Returns the same order, with another end of events that fail for good. Default: {@link OnExhausted#PARK}. */
    public Ordering onExhausted(OnExhausted onExhausted) {
        return new Ordering(
                exceptions, subscriptionExceptions, locksWrites, Objects.requireNonNull(onExhausted, "onExhausted"));
    }

    /** Returns the event types that have no order. */
    public Set<String> exceptions() {
        return exceptions;
    }

    /** Returns the names of subscriptions whose events have no order. */
    public Set<String> subscriptionExceptions() {
        return subscriptionExceptions;
    }

    /** Returns whether writers of one key wait for each other. */
    public boolean locksWrites() {
        return locksWrites;
    }

    /** Returns what becomes of an event that fails for good. */
    public OnExhausted onExhausted() {
        return onExhausted;
    }
}
