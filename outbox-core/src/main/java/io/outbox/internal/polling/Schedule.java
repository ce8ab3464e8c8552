package io.outbox.internal.polling;

import io.outbox.poller.StuckRecovery;
import io.outbox.spi.EventTypes;
import io.outbox.upkeep.Shutdown;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** When which feed is read: at its interval, or earlier if somebody says so. Has the poller's thread. Thread-safe. */
final class Schedule implements Alarm {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");
    /** Longer than any interval, and short enough to count in nanoseconds. */
    private static final long MAX_DELAY_MS = TimeUnit.DAYS.toMillis(1);

    private final PollTarget target;
    private final PollSettings settings;
    private final StoreTime time;
    private final ScheduledThreadPoolExecutor scheduler;
    private final Map<PollFeed, FeedState> states = new IdentityHashMap<>();
    private final AtomicLong calls = new AtomicLong();
    private final long firstRecoveryAtNanos;
    private ScheduledFuture<?> nextRun;
    private long nextRunAtNanos;
    /** What to do at each time, or {@code null} before the start. */
    private Runnable run;

    private volatile boolean closed;

    Schedule(PollTarget target, PollSettings settings, StoreTime time) {
        this.target = target;
        this.settings = settings;
        this.time = time;
        StuckRecovery recovery = settings.recovery();
        this.firstRecoveryAtNanos = System.nanoTime()
                + (recovery == null ? 0 : recovery.initialDelay().toNanos());
        this.scheduler = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-poller-"));
        this.scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.scheduler.setRemoveOnCancelPolicy(true);
    }

    /** Starts, unless it was started already. The first run begins at once. */
    synchronized void start(Runnable newRun) {
        if (closed) {
            throw new IllegalStateException("The poller is closed; build a new one");
        }
        if (run == null) {
            run = newRun;
            next();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Stops, and waits for a run that is under way. */
    void close() {
        synchronized (this) {
            closed = true;
            scheduler.shutdown();
        }
        Shutdown.await(scheduler);
    }

    /**
     * Returns all feeds with their state. What no longer exists is forgotten, unless somebody has called in the
     * meantime: it may have been for a feed that is newer than the list.
     */
    List<FeedState> feeds() {
        long callsBefore = calls.get();
        List<PollFeed> feeds = target.feeds();
        synchronized (this) {
            List<FeedState> all = new ArrayList<>(feeds.size());
            feeds.forEach(feed -> all.add(state(feed)));
            if (states.size() > feeds.size() && calls.get() == callsBefore) {
                states.values().retainAll(all);
            }
            return all;
        }
    }

    /**
     * Returns the feeds that are due, but for those under way; sets the next time of each, which wake-ups from now on
     * may bring forward.
     */
    List<FeedState> beginDue(Set<FeedState> underWay) {
        List<FeedState> feeds = feeds();
        synchronized (this) {
            long now = System.nanoTime();
            List<FeedState> due = feeds.stream()
                    .filter(state -> state.dueAtNanos() - now <= 0 && !underWay.contains(state))
                    .toList();
            due.forEach(state -> begin(state, now));
            return due;
        }
    }

    private void begin(FeedState state, long now) {
        state.begin(now, TimeUnit.MILLISECONDS.toNanos(settings.intervalMs(state.feed())));
        if (settings.recovery() != null && state.recoveryAtNanos() - now > 0) {
            state.wakeAt(state.recoveryAtNanos());
        }
    }

    /**
     * Begins all idle feeds, due or not, and returns them, if there are several, some of them due, and no other feed
     * is. So feeds at rest fall into step with the first of them.
     */
    List<FeedState> beginIdle() {
        List<FeedState> feeds = feeds();
        synchronized (this) {
            return beginIdle(feeds);
        }
    }

    private List<FeedState> beginIdle(List<FeedState> feeds) {
        long now = System.nanoTime();
        List<FeedState> due =
                feeds.stream().filter(state -> state.dueAtNanos() - now <= 0).toList();
        if (due.isEmpty() || !due.stream().allMatch(FeedState::isIdle)) {
            return List.of();
        }
        List<FeedState> idle = feeds.stream().filter(FeedState::isIdle).toList();
        if (idle.size() < 2) {
            return List.of();
        }
        idle.forEach(state -> begin(state, now));
        return idle;
    }

    /** Lets the feed rest for that long, unless somebody has called since its read began. */
    synchronized void rest(FeedState state, long delayMs) {
        state.rest();
        wakeIn(state, delayMs);
    }

    /** Returns whether it is time to take over stuck events of the feed. */
    synchronized boolean isRecoveryTime(FeedState state) {
        return settings.recovery() != null && state.recoveryAtNanos() - System.nanoTime() <= 0;
    }

    /** Sets the next time to take over stuck events of the feed. */
    synchronized void recovered(FeedState state) {
        state.recoverAt(System.nanoTime() + settings.recovery().fixedDelay().toNanos());
        state.wakeAt(state.recoveryAtNanos());
        next();
    }

    /** Makes the feed be read after the delay, unless it is earlier anyway. */
    synchronized void wakeIn(FeedState state, long delayMs) {
        state.wakeAt(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(delayMs, MAX_DELAY_MS)));
        next();
    }

    @Override
    public void dueAt(EventTypes types, Instant due) {
        Duration wait = Duration.between(time.estimate(), due);
        boolean isLong = wait.compareTo(Duration.ofMillis(MAX_DELAY_MS)) > 0;
        dueIn(types, wait.isNegative() ? 0 : isLong ? MAX_DELAY_MS : wait.toMillis() + 1);
    }

    @Override
    public void dueNow(EventTypes types) {
        announce(types, 0, true);
    }

    @Override
    public void dueSoon(EventTypes types) {
        announce(types, 0, false);
    }

    @Override
    public void dueIn(EventTypes types, long delayMs) {
        announce(types, delayMs, false);
    }

    @Override
    public void leftBehind(EventTypes types, String holder) {
        List<PollFeed> concerned = concerned(types);
        synchronized (this) {
            calls.incrementAndGet();
            concerned.forEach(feed -> state(feed).leftBehind(types, holder));
        }
    }

    /** Not under the lock: which types a feed has may be for the application's listener registry to say. */
    private List<PollFeed> concerned(EventTypes types) {
        return target.feeds(types).stream()
                .filter(feed -> types.overlaps(feed.types()))
                .toList();
    }

    private void announce(EventTypes types, long delayMs, boolean anywhere) {
        long atNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        List<PollFeed> concerned = concerned(types);
        synchronized (this) {
            calls.incrementAndGet();
            for (PollFeed feed : concerned) {
                FeedState state = state(feed);
                state.wantFront(anywhere);
                state.announce(atNanos);
            }
            next();
        }
    }

    private FeedState state(PollFeed feed) {
        return states.computeIfAbsent(feed, key -> new FeedState(key, settings, firstRecoveryAtNanos));
    }

    private void runNow(Runnable current) {
        synchronized (this) {
            nextRun = null;
        }
        try {
            current.run();
        } finally {
            next();
        }
    }

    /** Sees to it that the next run begins when the first feed is due. */
    private synchronized void next() {
        if (closed || run == null) {
            return;
        }
        long now = System.nanoTime();
        long delayNanos = states.isEmpty()
                ? 0
                : states.values().stream()
                        .mapToLong(state -> state.dueAtNanos() - now)
                        .min()
                        .getAsLong();
        if (nextRun != null) {
            if (nextRunAtNanos - (now + delayNanos) <= 0) {
                return;
            }
            nextRun.cancel(false);
        }
        try {
            Runnable current = run;
            nextRun = scheduler.schedule(() -> runNow(current), Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
            nextRunAtNanos = now + delayNanos;
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The poller is closing", e);
        }
    }
}
