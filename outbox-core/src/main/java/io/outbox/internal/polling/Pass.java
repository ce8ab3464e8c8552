package io.outbox.internal.polling;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.poller.StuckRecovery;
import io.outbox.spi.PageCursor;
import java.time.Instant;

/**
 * The reading of one feed in one run, and how many stuck events it may take over.
 *
 * <p>A time of recovery is used up only by a pass that came to its end and was free to take events over. One that was
 * not, for want of room, because the store failed, or because this node has to be cautious, leaves it to the next.
 */
final class Pass {

    private final FeedState state;
    private final Walk walk;
    private final PageSize pageSize;
    private final boolean takesOverAlways;
    private final boolean recovers;
    private final long beganAtNanos = System.nanoTime();
    private int toRecover;
    private boolean hasWalkedThrough;
    private boolean heldBack;

    /**
     * @param recovery when events are taken over, or {@code null} for with every claim
     * @param isRecoveryTime whether it is such a time
     */
    Pass(FeedState state, Walk walk, PageSize pageSize, StuckRecovery recovery, boolean isRecoveryTime) {
        this.state = state;
        this.walk = walk;
        this.pageSize = pageSize;
        this.takesOverAlways = recovery == null;
        this.recovers = isRecoveryTime;
        if (recovers) {
            this.toRecover = recovery.batchSize();
            walk.restart();
        }
    }

    FeedState state() {
        return state;
    }

    PollFeed feed() {
        return state.feed();
    }

    Walk walk() {
        return walk;
    }

    /** Returns what to read next. */
    PageReader.PageRequest next() {
        boolean recoversFirst = toRecover > 0 && walk.isAtFront();
        int most = recoversFirst ? Math.min(pageSize.next(), toRecover) : pageSize.next();
        int limit = Math.max(1, Math.min(most, feed().availableCapacity()));
        long maxBytes = Math.max(1, Math.min(PageSize.MOST_BYTES, feed().availableBytes()));
        return walk.page(limit, maxBytes).dueFor(feed().leastWait());
    }

    /** Returns whether the next claim is to take over events whose lease has run out, if the store can be relied on. */
    boolean takesOver(StoreWatch watch) {
        if (!takesOverAlways && toRecover == 0) {
            return false;
        }
        boolean reliable = watch.isReliable();
        heldBack |= !reliable;
        return reliable;
    }

    /** Notes what was read. */
    void read(PageReader.PageRequest request, PageReader.ReadPage page, EngineMetrics metrics) {
        toRecover = Math.max(0, toRecover - page.takenOver());
        if (page.takenOver() > 0) {
            metrics.incrementRecovered(page.takenOver());
        }
        pageSize.came(request.limit(), page.next() != null);
        pageSize.fit(page.events().size(), page.bytes());
    }

    /** Notes how many events were found that this node did not have in hand. */
    void found(int count) {
        if (count > 0) {
            state.restTime().found();
        }
    }

    /** Goes on behind a page; {@code null} is the end. */
    void walkedTo(PageCursor next) {
        walk.advance(next);
        if (next == null) {
            hasWalkedThrough = true;
            state.gatherLostAnswers().walked(walk.beganAtNanos(), walk::hasCovered);
        }
    }

    /** Returns whether it was time to take events over. */
    boolean recovers() {
        return recovers;
    }

    /**
     * Returns whether to walk from the very front. What a dead node has held may lie before the events that were to be
     * had so far.
     */
    boolean wantsVeryFront() {
        return recovers && !hasWalkedThrough;
    }

    /** Returns whether events may be left that were not taken over, since the store could not be relied on. */
    boolean wasHeldBack() {
        return heldBack;
    }

    Instant presentInStore() {
        return walk.asOf().plusNanos(System.nanoTime() - beganAtNanos);
    }
}
