package io.outbox.internal.polling;

import io.outbox.poller.StuckRecovery;
import io.outbox.spi.Lease;
import io.outbox.spi.Limits;
import io.outbox.upkeep.HintDebounce;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** How a poller reads. Setters check their value. Not thread-safe. */
public final class PollSettings {

    public static final int DEFAULT_BATCH_SIZE = 50;
    public static final long DEFAULT_INTERVAL_MS = 5000;
    public static final long DEFAULT_MIN_INTERVAL_MS = 10;
    public static final Duration DEFAULT_SKIP_RECENT = Duration.ZERO;

    private static final long LONGEST_CLAIM_WALK_MS = 1000;

    private Duration skipRecent = DEFAULT_SKIP_RECENT;
    private int batchSize = DEFAULT_BATCH_SIZE;
    private boolean batchSizeIsSet;
    private long intervalMs = DEFAULT_INTERVAL_MS;
    private long minIntervalMs = Long.MAX_VALUE;
    private BooleanSupplier hintsArrive = () -> false;
    private Lease lease;
    private StuckRecovery recovery;
    private Clock clock = Clock.systemUTC();

    public void skipRecent(Duration value) {
        this.skipRecent = Limits.notNegative(value, "skipRecent");
    }

    public void batchSize(int value) {
        this.batchSize = Limits.atLeastOne(value, "batchSize");
        this.batchSizeIsSet = true;
    }

    public void intervalMs(long value) {
        this.intervalMs = Limits.atLeastOne(value, "intervalMs");
    }

    /** Lets a poll that found events be followed by the next one that soon. */
    public void minIntervalMs(long value) {
        this.minIntervalMs = Limits.atLeastOne(value, "minIntervalMs");
    }

    /**
     * Says whether others tell of new events at present, so that there is no need to look often unless events keep
     * coming.
     */
    public void hintsArrive(BooleanSupplier value) {
        this.hintsArrive = Objects.requireNonNull(value, "hintsArrive");
    }

    public void lease(Lease value) {
        this.lease = Objects.requireNonNull(value, "lease");
    }

    /** Reads events without claiming them. */
    public void withoutLease() {
        this.lease = null;
    }

    public void recovery(StuckRecovery value) {
        this.recovery = Objects.requireNonNull(value, "recovery");
    }

    public void clock(Clock value) {
        this.clock = Objects.requireNonNull(value, "clock");
    }

    Duration skipRecent() {
        return skipRecent;
    }

    /** Returns the lease under which events are claimed, or {@code null} if they are only read. */
    public Lease lease() {
        return lease;
    }

    /** Returns when events of dead nodes are taken over, or {@code null} for with every claim. */
    StuckRecovery recovery() {
        return recovery;
    }

    Clock clock() {
        return clock;
    }

    /** Returns how many events of the feed are read with a single page. */
    int batchSize(PollFeed feed) {
        return feed.batchSize() == 0 ? batchSize : feed.batchSize();
    }

    /** Returns how many events of the feed are read at a time by one page after the other. */
    PageSize pageSize(PollFeed feed) {
        boolean grows = feed.batchSize() == 0 && !batchSizeIsSet && feed.hasBoundedRoom();
        return grows ? PageSize.growingFrom(batchSize) : PageSize.fixed(batchSize(feed));
    }

    /** Returns how long a walk goes on at most; claims pass over what others hold, so they look back more often. */
    long walkMs(PollFeed feed) {
        return lease == null ? intervalMs(feed) : Math.min(LONGEST_CLAIM_WALK_MS, intervalMs(feed));
    }

    /** Returns a new count of how long to rest. */
    public RestTime restTime() {
        return new RestTime(minIntervalMs);
    }

    /**
     * Returns how long the feed may rest when nothing more is due. Hints end a rest, but come seldom in a burst of
     * events.
     */
    long restMs(FeedState state) {
        return restMs(state.restTime(), intervalMs(state.feed()));
    }

    /** As for a feed that has no interval of its own. */
    public long restMs(RestTime restTime) {
        return restMs(restTime, intervalMs);
    }

    private long restMs(RestTime restTime, long longestMs) {
        return restTime.next(longestMs, hintsArrive.getAsBoolean() ? HintDebounce.LONGEST_PAUSE_MS : longestMs);
    }

    /** Returns the longest rest between two looks. */
    public long intervalMs() {
        return intervalMs;
    }

    long intervalMs(PollFeed feed) {
        return feed.interval() == null ? intervalMs : feed.interval().toMillis();
    }
}
