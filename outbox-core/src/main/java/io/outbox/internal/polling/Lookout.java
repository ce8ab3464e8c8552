package io.outbox.internal.polling;

import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.PageCursor;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Looks where pending events are before they are read, so that reading costs what there is to read.
 *
 * <p><b>Which types.</b> What is read for several types is never read by leaving others out: the store would walk over all
 * events of those, and a type that is left out, because it is paused or its target is down, is one with many. Instead a look
 * tells which types have pending events, and those that are wanted and due are read by their names. A walk begins with a look,
 * so a type that is new is found by the next walk. Where the store cannot tell, as without an index by type, the others are
 * left out as the feed says. All types together are read as they are, without a look unless the front is dear.
 *
 * <p><b>From when on.</b> What is finished may still be in the index of a database, for as long as somebody has an old
 * snapshot open, and each read from the front passes over it. So every look leaves a bound behind: the due time of the first
 * pending event it found, held or not, or the time of the look, less a margin for transactions that commit late. Nothing
 * before the bound was pending then. Later looks and walks begin there while a look at the very front is dear, see
 * {@link FrontTimer}. Nothing that this node or another does to an event moves it behind the bound: what is held, given back,
 * replayed, put off or to be retried is or becomes due later. What comes to lie there nevertheless, since it was written
 * with a time long past or changed by an operator, is found by the next look at the front, within a minute.
 *
 * <p>Thread-safe.
 */
final class Lookout {

    /** Earlier than any time at which an event can be due; databases do not go back further. */
    static final Instant FRONT = Instant.parse("1000-01-01T00:00:00Z");

    /** How much later than their due time transactions commit that are not missed, with the difference of clocks. */
    private static final Duration MARGIN = Duration.ofSeconds(10);
    /** How many types are read together; those with the oldest events come first. */
    private static final int MOST_READ = 100;
    /** How many types are remembered that have no pending events. */
    private static final int MOST_KNOWN = 100;
    /** For how long a store is not asked again for all types that could not tell. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** A page that takes longer may have passed over much that is finished. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final DeliveryBackend backend;
    private final LongSupplier nanoTime;
    private final FrontTimer front;
    private final FrontTimer frontByType;
    private final boolean looks;
    private Instant bound = FRONT;
    private final Map<String, Instant> bounds = new LinkedHashMap<>();
    private long askTypesAtNanos;
    private boolean slowAtFront;

    Lookout(DeliveryBackend backend) {
        this(backend, System::nanoTime);
    }

    Lookout(DeliveryBackend backend, LongSupplier nanoTime) {
        this.backend = backend;
        this.nanoTime = nanoTime;
        this.front = new FrontTimer(nanoTime);
        this.frontByType = new FrontTimer(nanoTime);
        this.looks = backend.supports(Capability.READ_BY_TYPE);
        this.askTypesAtNanos = nanoTime.getAsLong();
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
            String name = types.names().get(0);
            return new Range(null, place(frontByType.isDue() ? FRONT : bounds.getOrDefault(name, FRONT)));
        }
        if (!types.isAll() && askTypesAtNanos - nanoTime.getAsLong() <= 0) {
            DueTypes found = byType(dueUntil);
            if (found.isComplete()) {
                return named(types, dueUntil, found);
            }
            askTypesAtNanos = nanoTime.getAsLong() + ASK_AGAIN_NANOS;
        }
        if (!slowAtFront && !front.isDear()) {
            return new Range(null, null);
        }
        slowAtFront = false;
        firstPending(dueUntil);
        return new Range(null, place(bound));
    }

    /** Notes how long it took to read a page at the very front; if that was long, a look tells whether the front is dear. */
    synchronized void readAtFront(long nanos) {
        slowAtFront |= nanos > SLOW_NANOS;
    }

    private Range named(EventTypes types, Instant dueUntil, DueTypes found) {
        List<String> due = found.types().stream()
                .filter(type -> type.due() != null && !type.due().isAfter(dueUntil))
                .filter(type -> types.contains(type.eventType()))
                .sorted(Comparator.comparing(DueType::due))
                .limit(MOST_READ)
                .map(DueType::eventType)
                .toList();
        return due.isEmpty() ? Range.NOTHING : new Range(due, place(bounds.get(due.get(0))));
    }

    private PageCursor place(Instant from) {
        return from.equals(FRONT) ? null : backend.placeOf(from);
    }

    /** Returns when the first pending event of any type is due, be it past or to come. */
    synchronized Optional<Instant> firstPending(Instant now) {
        boolean atFront = front.isDue();
        long began = nanoTime.getAsLong();
        Optional<Instant> first = backend.nextDueAt(atFront ? FRONT : bound.minus(1, ChronoUnit.MICROS));
        looked(front, atFront, began);
        bound = bound(first.orElse(now), now);
        return first;
    }

    /** Returns since when the oldest event waits that is due. */
    synchronized Optional<Instant> oldestDue(Instant now) {
        return looks ? firstPending(now).filter(first -> !first.isAfter(now)) : backend.oldestDueAt(now);
    }

    /** Returns which types have pending events, as far as the store can tell. */
    synchronized DueTypes byType(Instant now) {
        boolean atFront = frontByType.isDue();
        List<DueType> known = bounds.entrySet().stream()
                .map(type -> new DueType(type.getKey(), atFront ? FRONT : type.getValue()))
                .toList();
        long began = nanoTime.getAsLong();
        DueTypes found = backend.lookByType(known, front.isDue() ? FRONT : bound);
        if (found.isComplete()) {
            looked(frontByType, atFront, began);
            remember(found, now);
        }
        return found;
    }

    private static void looked(FrontTimer timer, boolean atFront, long began) {
        if (atFront) {
            timer.looked(began);
        }
    }

    private void remember(DueTypes found, Instant now) {
        bounds.clear();
        for (DueType type : found.types()) {
            if (type.due() != null || found.types().size() <= MOST_KNOWN) {
                bounds.put(type.eventType(), bound(type.due() == null ? now : type.due(), now));
            }
        }
    }

    private static Instant bound(Instant first, Instant now) {
        return (first.isBefore(now) ? first : now).minus(MARGIN);
    }
}
