package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import java.util.LinkedHashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A feed with its walk, and the times of its next read and of its next recovery, which the schedule guards. */
final class FeedState {

    private static final int MAX_ANNOUNCED = 1000;

    private final PollFeed feed;
    private final Walk walk;
    private final PageSize pageSize;
    private final LostAnswers lostAnswers = new LostAnswers();
    private final Set<LeftBehind> leftBehind = new LinkedHashSet<>();
    private final RestTime restTime;
    private final NavigableSet<Long> announced = new TreeSet<>();
    private long dueAtNanos = System.nanoTime();
    private long recoveryAtNanos;
    private boolean called;
    private boolean idle;
    private boolean wantsFrontNow;
    private boolean wantsFrontSoon;

    private record LeftBehind(EventTypes types, String holder) {}

    FeedState(PollFeed feed, PollSettings settings, long recoveryAtNanos) {
        this.feed = feed;
        this.walk = new Walk(settings.walkMs(feed));
        this.pageSize = settings.pageSize(feed);
        this.restTime = settings.restTime();
        this.recoveryAtNanos = recoveryAtNanos;
    }

    PollFeed feed() {
        return feed;
    }

    PageSize pageSize() {
        return pageSize;
    }

    /** Returns the feed's claims without an answer, and what else was left behind; for the polling thread only. */
    synchronized LostAnswers gatherLostAnswers() {
        leftBehind.forEach(left -> lostAnswers.add(left.holder, left.types));
        leftBehind.clear();
        return lostAnswers;
    }

    /** Notes a name under which events of these types may be locked that this node does not hold. */
    synchronized void leftBehind(EventTypes types, String holder) {
        leftBehind.add(new LeftBehind(types, holder));
    }

    Walk walk() {
        return walk;
    }

    /** Returns how long to rest between looks; for the polling thread only. */
    RestTime restTime() {
        return restTime;
    }

    /** Tells the walk what was announced since it was last told. */
    synchronized void tellWalk() {
        if (wantsFrontNow) {
            walk.restart();
        } else if (wantsFrontSoon) {
            walk.wantFront();
        }
        wantsFrontNow = false;
        wantsFrontSoon = false;
    }

    /** Notes that something may lie behind the walk. */
    synchronized void wantFront(boolean now) {
        wantsFrontNow |= now;
        wantsFrontSoon = true;
    }

    long dueAtNanos() {
        return dueAtNanos;
    }

    /** Notes a time that a later run must not miss, to the millisecond; the furthest go first if there are many. */
    void announce(long atNanos) {
        called = true;
        idle = false;
        announced.add(TimeUnit.NANOSECONDS.toMillis(atNanos) + 1);
        if (announced.size() > MAX_ANNOUNCED) {
            announced.pollLast();
        }
        wakeAt(atNanos);
    }

    void wakeAt(long atNanos) {
        if (atNanos - dueAtNanos < 0) {
            dueAtNanos = atNanos;
        }
    }

    /** Begins a read: sets the next time, which announcements from now on may bring forward. */
    void begin(long now, long intervalNanos) {
        called = false;
        idle = false;
        announced.headSet(TimeUnit.NANOSECONDS.toMillis(now), true).clear();
        dueAtNanos = now + intervalNanos;
        if (!announced.isEmpty()) {
            wakeAt(TimeUnit.MILLISECONDS.toNanos(announced.first()));
        }
    }

    /** Returns whether the last read found the end of what is due, and nobody has told of more since. */
    boolean isIdle() {
        return idle;
    }

    /** Notes that the read found the end of what is due. */
    void rest() {
        idle = !called;
    }

    long recoveryAtNanos() {
        return recoveryAtNanos;
    }

    void recoverAt(long atNanos) {
        recoveryAtNanos = atNanos;
    }
}
