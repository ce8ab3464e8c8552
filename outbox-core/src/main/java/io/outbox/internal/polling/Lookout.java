package io.outbox.internal.polling;

import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.PageCursor;
import io.outbox.upkeep.Shutdown;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks where pending events are before they are read, so that reading costs what there is to read.
 *
 * <p><b>Which types.</b> What is read for several types is never read by leaving others out: the store would walk over
 * all events of those, and a type that is left out, because it is paused or its target is down, is one with many.
 * Instead a look tells which types have pending events, and those that are wanted and due are read by their names. A
 * walk begins with a look, so a type that is new is found by the next walk. Where the store cannot tell, as without an
 * index by type, the others are left out as the feed says, and {@link WantedFronts} tells where to begin. All types
 * together are read as they are, without a look unless the front is dear.
 *
 * <p><b>From when on.</b> What is finished may still be in the index of a database, for as long as somebody has an old
 * snapshot open, and each read from the front passes over it. So every look leaves a bound behind: the due time of the
 * first pending event it found, held or not, or the time of the look, less a margin for transactions that commit late.
 * Nothing before the bound was pending then. Later looks and walks begin there while a look at the very front is dear,
 * see {@link LookTimer}. There are two margins: under a heavy load even ten seconds have many finished entries, so
 * while a look that goes back that far is dear, those in between go back for one second. And a look at a front that is
 * dear has a thread of its own, so that reading does not wait for it.
 *
 * <p>Nothing that this node or another does to an event moves it behind the bound: what is held, given back, replayed,
 * put off or to be retried is or becomes due later. What comes to lie there nevertheless is found by a look that goes
 * back further: within a second what was committed late, and within a minute what was written with a time long past or
 * changed by an operator.
 *
 * <p>Thread-safe.
 */
final class Lookout implements AutoCloseable {

    /** How many types are read together; those with the oldest events come first. */
    private static final int MOST_READ = 100;
    /** How many types are remembered that have no pending events. */
    private static final int MOST_KNOWN = 100;
    /** For how long a store is not asked again for all types that could not tell. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A page that takes longer may have passed over much that is finished. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final DeliveryBackend backend;
    private final LongSupplier nanoTime;
    private final Runnable foundBehind;
    private final ExecutorService beside;
    private final LookTimers timers;
    private final LookTimers timersByType;
    private final WantedFronts wantedFronts;
    private final boolean looks;
    private Bound bound = Bound.NONE;
    private final Map<String, Bound> bounds = new LinkedHashMap<>();
    private long askTypesAtNanos;
    private boolean slowAtFront;

    /** @param foundBehind called when a look has found something due where walks did not begin */
    Lookout(DeliveryBackend backend, Runnable foundBehind) {
        this(backend, foundBehind, oneThread(), System::nanoTime);
    }

    Lookout(DeliveryBackend backend, Runnable foundBehind, ExecutorService beside, LongSupplier nanoTime) {
        this.backend = backend;
        this.foundBehind = foundBehind;
        this.beside = beside;
        this.nanoTime = nanoTime;
        this.timers = new LookTimers(nanoTime);
        this.timersByType = new LookTimers(nanoTime);
        this.wantedFronts = new WantedFronts(nanoTime, this::place);
        this.looks = backend.supports(Capability.READ_BY_TYPE);
        this.askTypesAtNanos = nanoTime.getAsLong();
    }

    /** Returns one thread that comes and goes with its work. */
    private static ExecutorService oneThread() {
        return new ThreadPoolExecutor(
                0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DaemonThreadFactory("outbox-front-"));
    }

    /** Returns whether a look tells which types have pending events. */
    boolean tellsTypesApart() {
        return looks;
    }

    /**
     * What a walk reads.
     *
     * @param names the event types, or {@code null} for all that the feed is for
     * @param start where it begins, or {@code null} at the front
     */
    record Range(List<String> names, PageCursor start) {

        static final Range NOTHING = new Range(List.of(), null);

        /**
         * Returns of which of these types nothing is left out that is due: if there were too many, only of those to
         * read.
         */
        EventTypes covered(EventTypes types) {
            return names != null && names.size() == MOST_READ ? within(types) : types;
        }

        /** Returns the types to read of those that the feed is for now. */
        EventTypes within(EventTypes types) {
            return names == null
                    ? types
                    : new EventTypes(names.stream().filter(types::contains).toList(), false);
        }
    }

    /** Returns what to read for a choice of types by a walk that begins now. */
    synchronized Range range(EventTypes types, Instant dueUntil) {
        if (!looks) {
            return new Range(null, null);
        }
        if (!types.excluded() && types.names().size() == 1) {
            return new Range(null, startOf(types.names().get(0), dueUntil));
        }
        if (!types.isAll()) {
            DueTypes found = completeByType(dueUntil);
            return found == null ? new Range(null, wantedFronts.start(types)) : named(types, dueUntil, found);
        }
        if (!slowAtFront && !timers.isFrontDear()) {
            return new Range(null, null);
        }
        slowAtFront = false;
        firstPending(dueUntil);
        return new Range(null, place(bound.recent()));
    }

    /**
     * Has the next walk for these types begin at the very front, if only walks have told where to begin: they do not
     * see what other nodes hold. Looks do.
     */
    synchronized void forgetFront(EventTypes types) {
        wantedFronts.forget(types);
    }

    /**
     * Notes what the first page of a walk has shown. If reading it at the very front took long, a look tells whether
     * the front is dear. A page from which other nodes have taken everything meanwhile shows nothing.
     *
     * @param start where it began
     * @param until up to when events were read that are due
     */
    synchronized void readFirst(
            EventTypes types, PageCursor start, PageReader.ReadPage page, Instant until, long tookNanos) {
        if (page.events().isEmpty() && page.next() != null) {
            return;
        }
        slowAtFront |= start == null && tookNanos > SLOW_NANOS;
        wantedFronts.read(types, start, page.firstDue(), until, tookNanos);
    }

    private Range named(EventTypes types, Instant dueUntil, DueTypes found) {
        List<String> due = found.types().stream()
                .filter(type -> type.due() != null && !type.due().isAfter(dueUntil))
                .filter(type -> types.contains(type.eventType()))
                .sorted(Comparator.comparing(DueType::due))
                .limit(MOST_READ)
                .map(DueType::eventType)
                .toList();
        return due.isEmpty()
                ? Range.NOTHING
                : new Range(due, place(boundOf(due.get(0)).recent()));
    }

    /** Returns where a walk of one type begins; it does not look unless the front is dear. */
    private PageCursor startOf(String name, Instant dueUntil) {
        if (slowAtFront || timersByType.isFrontDear()) {
            slowAtFront = false;
            if (completeByType(dueUntil) != null) {
                return place(boundOf(name).recent());
            }
        }
        return place(
                timersByType.depth() == LookDepth.FRONT
                        ? Bound.FRONT
                        : boundOf(name).late());
    }

    /**
     * Returns which types have pending events, or {@code null} if the store cannot tell, as it could not a moment ago.
     */
    private DueTypes completeByType(Instant dueUntil) {
        if (askTypesAtNanos - nanoTime.getAsLong() > 0) {
            return null;
        }
        DueTypes found = byType(dueUntil);
        if (found.isComplete()) {
            return found;
        }
        askTypesAtNanos = nanoTime.getAsLong() + ASK_AGAIN_NANOS;
        return null;
    }

    private PageCursor place(Instant from) {
        return from.equals(Bound.FRONT) ? null : backend.placeOf(from);
    }

    /** Returns when the first pending event of any type is due, be it past or to come. */
    synchronized Optional<Instant> firstPending(Instant now) {
        if (timers.beginAtFrontBeside()) {
            beside(timers, () -> backend.nextDueAt(Bound.FRONT).ifPresent(this::foundPending));
        }
        LookDepth depth = timers.depth();
        long began = nanoTime.getAsLong();
        Instant from = bound.at(depth);
        Optional<Instant> first = backend.nextDueAt(from.equals(Bound.FRONT) ? from : from.minus(1, ChronoUnit.MICROS));
        timers.looked(depth, began);
        bound = bound.after(depth, first.orElse(null), now);
        return first;
    }

    /**
     * Plans the look further back that the last one owes; returns in how many milliseconds it is to be made at the
     * latest.
     */
    synchronized long planLateLook() {
        return Math.min(timers.planLateLook(), timersByType.planLateLook());
    }

    /** Returns since when the oldest event waits that is due. */
    synchronized Optional<Instant> oldestDue(Instant now) {
        return looks ? firstPending(now).filter(first -> !first.isAfter(now)) : backend.oldestDueAt(now);
    }

    /** Returns which types have pending events, as far as the store can tell. */
    synchronized DueTypes byType(Instant now) {
        if (timersByType.beginAtFrontBeside()) {
            List<DueType> known = known(LookDepth.FRONT);
            beside(
                    timersByType,
                    () -> backend.lookByType(known, Bound.FRONT).types().forEach(this::foundPending));
        }
        LookDepth depth = timersByType.depth();
        long began = nanoTime.getAsLong();
        DueTypes found =
                backend.lookByType(known(depth), timers.depth() == LookDepth.FRONT ? Bound.FRONT : bound.late());
        if (found.isComplete()) {
            timersByType.looked(depth, began);
            remember(found, depth, now);
        }
        return found;
    }

    private List<DueType> known(LookDepth depth) {
        return bounds.entrySet().stream()
                .map(type -> new DueType(type.getKey(), type.getValue().at(depth)))
                .toList();
    }

    private void remember(DueTypes found, LookDepth depth, Instant now) {
        Map<String, Bound> former = Map.copyOf(bounds);
        bounds.clear();
        for (DueType type : found.types()) {
            if (type.due() != null || found.types().size() <= MOST_KNOWN) {
                Bound before = former.get(type.eventType());
                // a type that was not known is always looked for from the front
                bounds.put(
                        type.eventType(),
                        before == null
                                ? Bound.NONE.after(LookDepth.FRONT, type.due(), now)
                                : before.after(depth, type.due(), now));
            }
        }
    }

    private Bound boundOf(String eventType) {
        return bounds.getOrDefault(eventType, Bound.NONE);
    }

    /** Looks at the front while others look elsewhere. */
    private void beside(LookTimers of, Runnable look) {
        try {
            beside.execute(() -> {
                long began = nanoTime.getAsLong();
                try {
                    look.run();
                    synchronized (this) {
                        of.endAtFrontBeside(began);
                    }
                } catch (RuntimeException | Error e) {
                    LOG.log(Level.DEBUG, "Cannot look for events with a time long past", e);
                    synchronized (this) {
                        of.failedAtFrontBeside();
                    }
                }
            });
        } catch (RejectedExecutionException closed) {
            of.failedAtFrontBeside();
        }
    }

    private void foundPending(Instant first) {
        boolean behind;
        synchronized (this) {
            behind = first.isBefore(bound.recent());
            bound = bound.upTo(first);
        }
        if (behind) {
            foundBehind.run();
        }
    }

    private void foundPending(DueType type) {
        if (type.due() == null) {
            return;
        }
        boolean behind;
        synchronized (this) {
            Bound before = bounds.get(type.eventType());
            if (before == null) {
                return; // the next look finds it, and its place in the order in which the store has them
            }
            behind = type.due().isBefore(before.recent());
            bounds.put(type.eventType(), before.upTo(type.due()));
        }
        if (behind) {
            foundBehind.run();
        }
    }

    /** Waits for a look that is under way. */
    @Override
    public void close() {
        beside.shutdown();
        Shutdown.await(beside);
    }
}
