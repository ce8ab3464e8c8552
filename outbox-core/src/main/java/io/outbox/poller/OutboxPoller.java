package io.outbox.poller;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.OutboxBackend.FetchRequest;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.StoreBackend;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Finds due events in the store and hands them to a handler: whatever the hot path did not take, retries, delayed
 * events, and events of nodes that died.
 *
 * <p>Each run drains: a full batch is followed by the next at once, for as long as the handler has room. Between runs
 * the poller sleeps until the next event is due, until the handler calls, or for the interval, whichever comes first.
 * Thread-safe.
 */
public final class OutboxPoller implements AutoCloseable {

    public static final int DEFAULT_BATCH_SIZE = 50;
    public static final long DEFAULT_INTERVAL_MS = 5000;
    public static final Duration DEFAULT_SKIP_RECENT = Duration.ZERO;

    private static final System.Logger LOG = System.getLogger(OutboxPoller.class.getName());
    private static final long CLOSE_TIMEOUT_MS = 5000;
    private static final int MAX_ANNOUNCED = 1000;
    private static final long LAG_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** How long a walk by claims goes on before it looks again at what lies behind it. */
    private static final long WALK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How soon to look again for an event that became due during a pass; most are in this node's hands. */
    private static final long LOOK_AGAIN_MS = 50;
    /** Longer than any interval, and short enough to count in nanoseconds. */
    private static final long MAX_DELAY_MS = TimeUnit.DAYS.toMillis(1);

    /** The order in which pages of due events follow each other. */
    private static final Comparator<OutboxEvent> PAGE_ORDER = Comparator.comparing(
                    OutboxEvent::availableAt, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(OutboxEvent::createdAt, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(OutboxEvent::eventId, Comparator.nullsFirst(Comparator.naturalOrder()));

    private final OutboxBackend backend;
    private final OutboxPollerHandler handler;
    private final Duration skipRecent;
    private final int batchSize;
    private final long intervalMs;
    private final MetricsExporter metrics;
    private final Lease lease;
    private final StuckRecovery recovery;
    private final Clock clock;
    private final ScheduledThreadPoolExecutor scheduler;
    private final List<Feed> feeds;
    private final Object pollLock = new Object();
    private ScheduledFuture<?> nextRun;
    private long nextRunAtNanos;
    private boolean started;
    private volatile boolean closed;
    private boolean failing;
    private long lagRecordedAtNanos = System.nanoTime() - LAG_PERIOD_NANOS;

    private OutboxPoller(Builder builder) {
        this.backend = builder.backend();
        this.handler = builder.handler;
        long recoveryDelayNanos =
                builder.recovery == null ? 0 : builder.recovery.initialDelay().toNanos();
        this.feeds = handler.feeds().stream()
                .map(source -> new Feed(source, System.nanoTime() + recoveryDelayNanos))
                .toList();
        this.skipRecent = builder.skipRecent;
        this.batchSize = builder.batchSize;
        this.intervalMs = builder.intervalMs;
        this.metrics = builder.metrics;
        this.lease = builder.lease;
        this.recovery = builder.recovery;
        this.clock = builder.clock;
        this.scheduler = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-poller-"));
        this.scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.scheduler.setRemoveOnCancelPolicy(true);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Starts polling, unless it was started already. The first poll runs at once. */
    public synchronized void start() {
        if (closed) {
            throw new IllegalStateException("The poller is closed; build a new one");
        }
        if (!started) {
            started = true;
            schedule();
        }
    }

    /** Runs one poll cycle on the calling thread: one batch of the oldest due events, of each feed. */
    public void poll() {
        try {
            for (Feed feed : feeds) {
                if (feed.source.availableCapacity() > 0) {
                    pollPage(new Pass(feed));
                }
            }
        } catch (RuntimeException | Error e) {
            logFailure(e);
        }
    }

    /** Makes the next run begin at once, for events that have become due unbeknown to the handler. */
    public void wakeUp() {
        wakeUp(EventTypes.ALL, Instant.MIN);
    }

    /** Stops polling and waits for a cycle that is under way. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            scheduler.shutdown();
        }
        try {
            if (!scheduler.awaitTermination(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                scheduler.shutdownNow();
            }
        } catch (InterruptedException e) {
            scheduler.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** One of the handler's feeds, with the times of its next read and of its next recovery. Guarded by the poller. */
    private static final class Feed {

        private final PollerFeed source;
        private final NavigableSet<Long> announced = new TreeSet<>();
        private long dueAtNanos = System.nanoTime();
        private long recoveryAtNanos;
        private volatile long lagMs;

        private Feed(PollerFeed source, long recoveryAtNanos) {
            this.source = source;
            this.recoveryAtNanos = recoveryAtNanos;
        }

        /** Notes a time that a later run must not miss, to the millisecond; the furthest go first if there are many. */
        private void announce(long atNanos) {
            announced.add(TimeUnit.NANOSECONDS.toMillis(atNanos) + 1);
            if (announced.size() > MAX_ANNOUNCED) {
                announced.pollLast();
            }
            wakeAt(atNanos);
        }

        private void begin(long now, long intervalNanos) {
            announced.headSet(TimeUnit.NANOSECONDS.toMillis(now), true).clear();
            dueAtNanos = now + intervalNanos;
            if (!announced.isEmpty()) {
                wakeAt(TimeUnit.MILLISECONDS.toNanos(announced.first()));
            }
        }

        private void wakeAt(long atNanos) {
            if (atNanos - dueAtNanos < 0) {
                dueAtNanos = atNanos;
            }
        }
    }

    /** Reads all due feeds, one page of each in turn, so that none waits for the backlog of another. */
    private void run() {
        synchronized (this) {
            nextRun = null;
        }
        Map<Feed, Pass> passes = new LinkedHashMap<>();
        do {
            for (Feed feed : feeds) {
                if (!passes.containsKey(feed) && begin(feed)) {
                    passes.put(feed, new Pass(feed));
                }
            }
            passes.values().removeIf(pass -> !goesOn(pass));
        } while (!passes.isEmpty() && !closed);
        recordLagByType();
        schedule();
    }

    /** Reads the next page of a pass; returns false, having set the feed's next time, if it was the last. */
    private boolean goesOn(Pass pass) {
        long delayMs = intervalMs(pass.feed);
        try {
            delayMs = pass.readPage();
            failing = false;
        } catch (RuntimeException | Error e) {
            logFailure(e);
            pass.recoverNextTime();
        }
        if (delayMs == Pass.GOES_ON) {
            return true;
        }
        wakeUp(pass.feed, delayMs);
        return false;
    }

    /**
     * One walk through the due events of a feed, page by page. What becomes due meanwhile is left to the next.
     *
     * <p>A walk by claims goes by the store's clock, which moves on, and may so have no end. Therefore it returns to the
     * front from time to time, where events of nodes that died, or that were given back, lie behind it.
     */
    private final class Pass {

        private static final long GOES_ON = -1;

        private final Feed feed;
        private final long beganAtNanos = System.nanoTime();
        private final Instant now = clock.instant();
        private Instant storeTime;
        private OutboxEvent after;
        private long walkBeganAtNanos = beganAtNanos;
        private Set<String> lastIds = Set.of();
        private int toRecover;

        private Pass(Feed feed) {
            this.feed = feed;
            this.toRecover = isRecoveryTime(feed) ? recovery.batchSize() : 0;
        }

        /** Reads and hands over one page; returns how long to sleep, or {@link #GOES_ON} if there may be more. */
        private long readPage() {
            if (storeTime == null) {
                storeTime = lease == null ? now : backend.currentTime();
            }
            Page page = feed.source.availableCapacity() > 0 ? pollPage(this) : Page.NO_ROOM;
            if (page.failed) {
                return intervalMs(feed);
            }
            if (page.refused) {
                recoverNextTime();
                feed.source.whenCapacityFrees(() -> wakeUp(feed, 0));
                return intervalMs(feed);
            }
            if (!page.full || lastIds.containsAll(page.ids)) {
                return untilNextDue();
            }
            boolean turnsBack = lease != null && System.nanoTime() - walkBeganAtNanos > WALK_NANOS;
            after = turnsBack ? null : page.last;
            walkBeganAtNanos = turnsBack ? System.nanoTime() : walkBeganAtNanos;
            lastIds = page.ids;
            return GOES_ON;
        }

        private long untilNextDue() {
            Instant present = lease == null ? clock.instant() : storeTime.plusNanos(System.nanoTime() - beganAtNanos);
            long atMostMs = intervalMs(feed);
            return backend.nextDueAt(storeTime)
                    .map(due -> Math.min(due.isAfter(present) ? millisBetween(present, due) : LOOK_AGAIN_MS, atMostMs))
                    .orElse(atMostMs);
        }

        /** Returns whether a claim takes over events whose lease has run out. */
        private boolean takesOver() {
            return recovery == null || toRecover > 0;
        }

        private int limit() {
            boolean recoversFirst = toRecover > 0 && after == null;
            int most = recoversFirst ? Math.min(batchSize(feed), toRecover) : batchSize(feed);
            return Math.max(1, Math.min(most, feed.source.availableCapacity()));
        }

        private void recoverNextTime() {
            if (toRecover > 0) {
                OutboxPoller.this.recoverNextTime(feed);
            }
        }

        private void tookOver(int count) {
            toRecover = Math.max(0, toRecover - count);
            if (count > 0) {
                metrics.incrementRecovered(count);
            }
        }
    }

    /** Returns whether the feed is due, and sets its next time, which wake-ups from now on may bring forward. */
    private synchronized boolean begin(Feed feed) {
        long now = System.nanoTime();
        if (feed.dueAtNanos - now > 0) {
            return false;
        }
        feed.begin(now, TimeUnit.MILLISECONDS.toNanos(intervalMs(feed)));
        if (recovery != null && feed.recoveryAtNanos - now > 0) {
            feed.wakeAt(feed.recoveryAtNanos);
        }
        return true;
    }

    private long intervalMs(Feed feed) {
        return feed.source.interval() == null
                ? intervalMs
                : feed.source.interval().toMillis();
    }

    private int batchSize(Feed feed) {
        return feed.source.batchSize() == 0 ? batchSize : feed.source.batchSize();
    }

    private long millisUntil(Instant due) {
        return millisBetween(clock.instant(), due);
    }

    /** Returns the time from one instant to the other, at least until the millisecond after it is over. */
    private static long millisBetween(Instant present, Instant due) {
        Duration wait = Duration.between(present, due);
        boolean isLong = wait.compareTo(Duration.ofMillis(MAX_DELAY_MS)) > 0;
        return wait.isNegative() ? 0 : isLong ? MAX_DELAY_MS : wait.toMillis() + 1;
    }

    /**
     * What one read brought.
     *
     * @param full whether there may be more
     * @param refused whether the handler refused an event, for want of room
     * @param failed whether the handler failed
     * @param last the last event in page order, or {@code null}
     * @param ids what was read; a page with nothing new ends the drain of a store without pages
     */
    private record Page(boolean full, boolean refused, boolean failed, OutboxEvent last, Set<String> ids) {
        private static final Page NO_ROOM = new Page(false, true, false, null, Set.of());
    }

    /** How many events the handler took, and whether it failed at the next. */
    private record Taken(int count, boolean failed) {}

    private Page pollPage(Pass pass) {
        synchronized (pollLock) {
            handler.pollStarted();
            try {
                int limit = pass.limit();
                List<OutboxEvent> rows = read(pass, limit);
                if (pass.after == null) {
                    recordLag(pass, rows);
                }
                Taken taken = handOver(rows);
                boolean refused = taken.count < rows.size();
                if (lease != null && refused) {
                    giveBack(rows.subList(taken.count, rows.size()));
                }
                OutboxEvent last = rows.stream().max(PAGE_ORDER).orElse(null);
                Set<String> ids = rows.stream().map(OutboxEvent::eventId).collect(Collectors.toSet());
                return new Page(rows.size() >= limit, refused, taken.failed, last, ids);
            } finally {
                handler.pollFinished();
            }
        }
    }

    private List<OutboxEvent> read(Pass pass, int limit) {
        EventTypes types = pass.feed.source.types();
        return lease == null
                ? backend.fetch(new FetchRequest(pass.now, skipRecent, types, limit, pass.after, handler.heldEvents()))
                : backend.claim(new ClaimRequest(
                        lease, skipRecent, types, limit, pass.after, pass.takesOver(), pass::tookOver));
    }

    /** Returns whether it is time to take over stuck events of the feed; if so, sets the next time. */
    private synchronized boolean isRecoveryTime(Feed feed) {
        long now = System.nanoTime();
        if (recovery == null || feed.recoveryAtNanos - now > 0) {
            return false;
        }
        feed.recoveryAtNanos = now + recovery.fixedDelay().toNanos();
        feed.wakeAt(feed.recoveryAtNanos);
        return true;
    }

    /** Makes the next pass the one that takes over stuck events, because this one could not. */
    private synchronized void recoverNextTime(Feed feed) {
        feed.recoveryAtNanos = System.nanoTime();
    }

    /** Hands over rows until one is refused, or the handler fails. */
    private Taken handOver(List<OutboxEvent> rows) {
        for (int i = 0; i < rows.size(); i++) {
            try {
                if (!handOver(rows.get(i))) {
                    return new Taken(i, false);
                }
            } catch (RuntimeException | Error e) {
                logFailure(e);
                return new Taken(i, true);
            }
        }
        return new Taken(rows.size(), false);
    }

    private boolean handOver(OutboxEvent row) {
        EventEnvelope event;
        try {
            event = EventEnvelope.restore(row);
        } catch (RuntimeException e) {
            bury(row, e);
            return true;
        }
        return handler.handle(event, row.attempts());
    }

    /** Has a row that cannot be decoded go DEAD; if that is not possible now, a later pass meets it again. */
    private void bury(OutboxEvent row, RuntimeException reason) {
        LOG.log(Level.ERROR, "Event " + row.eventId() + " cannot be decoded and goes DEAD", reason);
        List<Outcome> dead = List.of(new Outcome.Dead(row.eventId(), reason.toString()));
        try {
            if (!backend.apply(lease == null ? null : lease.ownerId(), dead).isEmpty()) {
                metrics.incrementDispatchDead();
            }
        } catch (RuntimeException e) {
            logFailure(e);
        }
    }

    /** Releases claimed rows that the handler did not take. */
    private void giveBack(List<OutboxEvent> rows) {
        List<String> ids = new ArrayList<>();
        rows.forEach(row -> ids.add(row.eventId()));
        backend.release(lease.ownerId(), ids);
    }

    private void recordLag(Pass pass, List<OutboxEvent> rows) {
        Instant oldest = rows.stream()
                .map(OutboxEvent::availableAt)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(pass.now);
        pass.feed.lagMs = Math.max(0, Duration.between(oldest, pass.now).toMillis());
        metrics.recordOldestLagMs(
                feeds.stream().mapToLong(feed -> feed.lagMs).max().orElse(0));
    }

    private void logFailure(Throwable e) {
        LOG.log(failing ? Level.DEBUG : Level.ERROR, "Polling failed; the next cycle tries again", e);
        failing = true;
    }

    private void recordLagByType() {
        long now = System.nanoTime();
        if (metrics == MetricsExporter.NOOP || now - lagRecordedAtNanos < LAG_PERIOD_NANOS) {
            return;
        }
        lagRecordedAtNanos = now;
        try {
            Instant instant = clock.instant();
            Map<String, Long> lagMs = new HashMap<>();
            for (PendingEvents type : backend.pending(instant)) {
                long lag = Duration.between(type.oldestDueAt(), instant).toMillis();
                lagMs.put(type.eventType(), Math.max(0, lag));
            }
            metrics.recordOldestLagByTypeMs(lagMs);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "Cannot read the lag by event type", e);
        }
    }

    /** Makes the feeds of these types be read at the given instant, unless they are earlier anyway. */
    private void wakeUp(EventTypes types, Instant due) {
        long delayMs = due.equals(Instant.MIN) ? 0 : millisUntil(due);
        for (Feed feed : feeds) {
            EventTypes own = feed.source.types();
            boolean concerned = types.isAll()
                    || own.equals(types)
                    || (!types.excluded() && types.names().stream().anyMatch(own::contains));
            if (concerned) {
                announce(feed, delayMs);
            }
        }
    }

    private synchronized void announce(Feed feed, long delayMs) {
        feed.announce(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs));
        schedule();
    }

    private synchronized void wakeUp(Feed feed, long delayMs) {
        feed.wakeAt(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs));
        schedule();
    }

    /** Sees to it that the next run begins when the first feed is due. */
    private synchronized void schedule() {
        if (closed || !started) {
            return;
        }
        long now = System.nanoTime();
        long delayNanos =
                feeds.stream().mapToLong(feed -> feed.dueAtNanos - now).min().orElse(0);
        if (nextRun != null) {
            if (nextRunAtNanos - (now + delayNanos) <= 0) {
                return;
            }
            nextRun.cancel(false);
        }
        try {
            nextRun = scheduler.schedule(this::run, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
            nextRunAtNanos = now + delayNanos;
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The poller is closing", e);
        }
    }

    /** Builds an {@link OutboxPoller}; each builder builds one. Not thread-safe. */
    public static final class Builder {

        private ConnectionProvider connectionProvider;
        private OutboxStore outboxStore;
        private OutboxBackend backend;
        private OutboxPollerHandler handler;
        private Duration skipRecent = DEFAULT_SKIP_RECENT;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private long intervalMs = DEFAULT_INTERVAL_MS;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private Lease lease;
        private StuckRecovery recovery;
        private Clock clock = Clock.systemUTC();
        private boolean built;

        private Builder() {}

        /** Required, together with {@link #outboxStore}, unless {@link #backend} is given. */
        public Builder connectionProvider(ConnectionProvider connectionProvider) {
            this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
            return this;
        }

        /** Required, together with {@link #connectionProvider}, unless {@link #backend} is given. */
        public Builder outboxStore(OutboxStore outboxStore) {
            this.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
            return this;
        }

        /** The storage engine, instead of {@link #connectionProvider} and {@link #outboxStore}. */
        public Builder backend(OutboxBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
            return this;
        }

        /** Required. */
        public Builder handler(OutboxPollerHandler handler) {
            this.handler = Objects.requireNonNull(handler, "handler");
            return this;
        }

        /** Leaves events alone that are younger than this. Default: zero. */
        public Builder skipRecent(Duration skipRecent) {
            Objects.requireNonNull(skipRecent, "skipRecent");
            if (skipRecent.isNegative()) {
                throw new IllegalArgumentException("skipRecent must not be negative: " + skipRecent);
            }
            this.skipRecent = skipRecent;
            return this;
        }

        /** How many events are read at a time. Default: {@value #DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            if (batchSize < 1) {
                throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
            }
            this.batchSize = batchSize;
            return this;
        }

        /** The longest sleep between runs. Default: {@value #DEFAULT_INTERVAL_MS}. */
        public Builder intervalMs(long intervalMs) {
            if (intervalMs < 1) {
                throw new IllegalArgumentException("intervalMs must be at least 1: " + intervalMs);
            }
            this.intervalMs = intervalMs;
            return this;
        }

        /** Default: {@link MetricsExporter#NOOP}. */
        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Claims events under a name that no other node has, so that several nodes can share a store. */
        public Builder claimLocking(Duration lockTimeout) {
            return claimLocking(Lease.of(lockTimeout));
        }

        /** Claims events under the given name, which must differ between nodes, so that several can share a store. */
        public Builder claimLocking(String ownerId, Duration lockTimeout) {
            return claimLocking(new Lease(ownerId, lockTimeout));
        }

        /** Claims events under the given lease, so that several nodes can share a store. */
        public Builder claimLocking(Lease lease) {
            this.lease = Objects.requireNonNull(lease, "lease");
            return this;
        }

        /** When events of nodes that died are taken over. Default: with every poll, once their lease has run out. */
        public Builder stuckRecovery(StuckRecovery recovery) {
            this.recovery = Objects.requireNonNull(recovery, "recovery");
            return this;
        }

        /** The clock that tells what is due. Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /** Builds the poller; {@link OutboxPoller#start()} sets it going. */
        public OutboxPoller build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            Objects.requireNonNull(handler, "handler is required");
            OutboxPoller poller = new OutboxPoller(this);
            built = true;
            if (lease != null && backend.supportsClaiming()) {
                handler.claimingUnder(lease);
            }
            handler.onDue(poller::wakeUp);
            return poller;
        }

        private OutboxBackend backend() {
            if (backend == null) {
                backend = StoreBackend.forDelivery(
                        Objects.requireNonNull(connectionProvider, "connectionProvider is required"),
                        Objects.requireNonNull(outboxStore, "outboxStore is required"));
            }
            return backend;
        }
    }
}
