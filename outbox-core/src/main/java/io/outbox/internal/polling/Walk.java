package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A walk through the due events of a feed, from the oldest on, page by page. It goes on over several runs of the
 * poller, so that what was read and waits in this node's queues is not read again with every run.
 *
 * <p>What comes to lie behind it, events of transactions that committed late, of dead nodes or given back, is found by
 * the next walk. So a walk is not long: it returns to the front after the time it is given, and after
 * {@link #SHORT_NANOS} if it is told that something may be behind it.
 */
final class Walk {

    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long longestNanos;
    private Instant asOf;
    private long beganAtNanos;
    private Lookout.Range range;
    /** The types that its pages were to pass through, which may change from one to the next. */
    private final Set<EventTypes> covered = new HashSet<>();

    private PageCursor cursor;
    private boolean wantsFront;

    Walk(long longestMs) {
        this.longestNanos = TimeUnit.MILLISECONDS.toNanos(longestMs);
    }

    /** Returns whether it has to begin at the front, since it has come to the end or goes on for too long. */
    boolean isOver() {
        long age = System.nanoTime() - beganAtNanos;
        return cursor == null || age > longestNanos || (wantsFront && age > SHORT_NANOS);
    }

    /** Begins at the front of a range of these types, with what is due at the given time. */
    void begin(Instant time, EventTypes types, Lookout.Range whatToRead) {
        asOf = time;
        range = whatToRead;
        covered.clear();
        covered.add(range.covered(types));
        beganAtNanos = System.nanoTime();
        cursor = null;
        wantsFront = false;
    }

    /** Returns when the walk began at the front. */
    long beganAtNanos() {
        return beganAtNanos;
    }

    /** Returns whether the next page is the first. */
    boolean isAtFront() {
        return cursor == null;
    }

    /** Returns the time by which events are due. */
    Instant asOf() {
        return asOf;
    }

    /** Returns the types to read of those that the feed is for now. */
    EventTypes types(PollFeed feed) {
        EventTypes types = feed.types();
        covered.add(range.covered(types));
        return range.within(types);
    }

    /** Returns whether all pages so far were to pass through all of these types. */
    boolean hasCovered(EventTypes types) {
        return covered.stream().allMatch(page -> isPartOf(page, types));
    }

    private static boolean isPartOf(EventTypes all, EventTypes part) {
        return part.excluded()
                ? all.excluded() && part.names().containsAll(all.names())
                : part.names().stream().allMatch(all::contains);
    }

    PageReader.PageRequest page(int limit, long maxBytes) {
        return new PageReader.PageRequest(asOf, cursor == null ? range.start() : cursor, limit, maxBytes);
    }

    /** Goes on behind a page; {@code null} is the end. */
    void advance(PageCursor next) {
        cursor = next;
    }

    /** Notes that something may have come to lie behind. */
    void wantFront() {
        wantsFront = true;
    }

    /** Returns whether another walk is to follow at once, because something may lie behind this one. */
    boolean wantsFront() {
        return wantsFront;
    }

    /** Gives the walk up, so that the next page is the first. */
    void restart() {
        cursor = null;
    }
}
