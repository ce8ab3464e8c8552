package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import io.outbox.spi.PageCursor;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Where walks begin that leave event types out, in a store that cannot tell which types wait, as without an index by
 * type. Such a walk passes over all events of the types that are left out, and these may be many.
 *
 * <p>So it begins where the first page of the last walk for the same choice of types found its first event, less a
 * margin for transactions that commit late. What lies before that, because another node held it then or it was written
 * with a time long past, is found by a walk from the very front. Walks from there get a twentieth of the time, but
 * there is one each minute. So while they are cheap, all walks begin there. So does one that takes over what dead nodes
 * held. Guarded by its owner.
 */
final class WantedFronts {

    /** More choices than an outbox has feeds, usually. */
    private static final int MOST = 32;

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final Function<Instant, PageCursor> placeOf;
    private final Map<EventTypes, Front> fronts = new LinkedHashMap<>(MOST, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EventTypes, Front> eldest) {
            return size() > MOST;
        }
    };

    /**
     * Where the events of a choice of types begin, and where the last walk for it has begun; {@code null} is the front.
     */
    private final class Front {
        private final LookTimer timer = new LookTimer(nanoTime, LONGEST_PAUSE, Duration.ZERO);
        private Bound bound = Bound.NONE;
        private PageCursor start;
    }

    /** @param placeOf returns the place of a due time in the order of events */
    WantedFronts(LongSupplier nanoTime, Function<Instant, PageCursor> placeOf) {
        this.nanoTime = nanoTime;
        this.placeOf = placeOf;
    }

    /** Returns where a walk begins; {@code null} is the front. */
    PageCursor start(EventTypes types) {
        Front front = fronts.computeIfAbsent(inOrder(types), choice -> new Front());
        boolean atFront = front.timer.isDue() || front.bound.equals(Bound.NONE);
        front.start = atFront ? null : placeOf.apply(front.bound.late());
        return front.start;
    }

    /** Has the next walk begin at the very front. */
    void forget(EventTypes types) {
        Front front = fronts.get(inOrder(types));
        if (front != null) {
            front.bound = Bound.NONE;
        }
    }

    /**
     * Notes what the first page of a walk has shown.
     *
     * @param start where it began
     * @param first when its first event is due, or {@code null} if there is none
     * @param until up to when events were read that are due
     */
    void read(EventTypes types, PageCursor start, Instant first, Instant until, long tookNanos) {
        Front front = fronts.get(inOrder(types));
        if (front == null || !Objects.equals(front.start, start)) {
            return; // the walk has begun for another choice
        }
        if (start == null) {
            front.timer.looked(nanoTime.getAsLong() - tookNanos);
        }
        front.bound = front.bound.after(LookDepth.LATE, first, until);
    }

    private static EventTypes inOrder(EventTypes types) {
        return new EventTypes(types.names().stream().sorted().toList(), types.excluded());
    }
}
