package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.writing.HotPath;
import io.outbox.internal.writing.Reservation;
import io.outbox.spi.EventTypes;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hot path into an engine's lanes.
 *
 * <p>Events are reserved before they are written, as far as their lane has room: from the moment the row is visible the
 * event is in this node's hands. In a shared store the row is written with this node's lock; what the store could not
 * lock is left to the poller, as are delayed events and those for which there is no room.
 *
 * <p>The end of the transaction decides, and there are three: a commit queues the events, a rollback ends their
 * reservation at once, so that the same events can be written again, and if nobody knows, they are given back to the
 * store, where the poller finds those that are there.
 */
final class HotEvents implements HotPath {

    private static final System.Logger LOG = System.getLogger("io.outbox.dispatch.DispatcherWriterHook");
    private static final long WARNING_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Lanes lanes;
    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final Leases leases;
    private final Routing routing;
    private final Alarm alarm;
    private final EngineMetrics metrics;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARNING_PERIOD_NANOS);

    /** @param metrics where this path's events are counted */
    HotEvents(Lanes lanes, OwnedEvents owned, LaneContext context, EngineMetrics metrics) {
        this.lanes = lanes;
        this.owned = owned;
        this.completion = context.completion();
        this.leases = context.leases();
        this.routing = context.routing();
        this.alarm = context.alarm();
        this.metrics = metrics;
    }

    @Override
    public Reservation reserve(List<EventEnvelope> events) {
        String ownerId = leases.ownerId();
        Map<Lane, Integer> reserved = new HashMap<>();
        List<Entry> entries = new ArrayList<>(events.size());
        for (EventEnvelope event : events) {
            Lane lane = lanes.of(event.eventType());
            boolean forOthers = routing.isForOthers(event);
            boolean wanted = !forOthers
                    && !event.isDelayed()
                    && reserved.getOrDefault(lane, 0) < lane.hotRoom(event.eventType());
            Hold hold = wanted ? owned.reserve(event.eventId(), ownerId) : null;
            if (hold != null) {
                reserved.merge(lane, 1, Integer::sum);
            }
            if (forOthers) {
                routing.met(event);
            }
            entries.add(new Entry(event, hold, forOthers ? Reason.FOR_OTHERS : Reason.NO_ROOM));
        }
        return new Batch(entries, ownerId);
    }

    /** Takes events that are committed already and were not reserved. Locks are missing, so it works for one node only. */
    void take(List<EventEnvelope> events) {
        if (!leases.areKept()) {
            reserve(events).ended(TransactionEnd.COMMITTED);
            return;
        }
        for (EventEnvelope event : events) {
            if (event.isDelayed()) {
                skip(event);
            } else {
                alarm.dueNow(EventTypes.only(event.eventType()));
            }
        }
    }

    /**
     * An event of a write.
     *
     * @param hold its reservation, or {@code null} if it is left to the poller
     * @param ifLeft for which reason, if it is left
     */
    private record Entry(EventEnvelope event, Hold hold, Reason ifLeft) {}

    /** Why an event is not on the hot path. */
    private enum Reason {
        NO_ROOM,
        /** The store did not lock it. */
        UNLOCKED,
        /** Nobody here listens to it. */
        FOR_OTHERS
    }

    /** The events of one write. */
    private final class Batch implements Reservation {

        private final String ownerId;
        private List<Entry> entries;
        private boolean written;

        private Batch(List<Entry> entries, String ownerId) {
            this.entries = entries;
            this.ownerId = ownerId;
        }

        @Override
        public List<NewEvent> events() {
            return entries.stream()
                    .map(entry -> new NewEvent(entry.event, entry.hold == null ? null : ownerId))
                    .toList();
        }

        @Override
        public void written(Set<String> locked) {
            written = true;
            if (ownerId == null) {
                return;
            }
            List<Entry> kept = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                boolean missed = entry.hold != null && !locked.contains(entry.event.eventId());
                if (missed) {
                    owned.undo(entry.hold);
                }
                kept.add(missed ? new Entry(entry.event, null, Reason.UNLOCKED) : entry);
            }
            entries = kept;
        }

        @Override
        public void ended(TransactionEnd end) {
            for (Entry entry : entries) {
                switch (end) {
                    case COMMITTED -> committed(entry, ownerId);
                    case ROLLED_BACK -> rolledBack(entry, written);
                    case UNKNOWN -> leaveToPoller(entry, ownerId);
                }
            }
        }
    }

    private void committed(Entry entry, String ownerId) {
        EventEnvelope event = entry.event;
        if (event.isDelayed()) {
            skip(event);
        } else if (entry.hold == null) {
            left(event, entry.ifLeft);
        } else if (owned.confirm(entry.hold)) {
            queue(event, entry.hold);
        } else {
            leaveToPoller(entry, ownerId);
        }
    }

    private void left(EventEnvelope event, Reason reason) {
        switch (reason) {
            case NO_ROOM -> drop(event);
            case UNLOCKED -> alarm.dueSoon(EventTypes.only(event.eventType()));
            case FOR_OTHERS -> alarm.dueElsewhere(EventTypes.only(event.eventType()));
        }
    }

    private void queue(EventEnvelope event, Hold hold) {
        HeldEvent held = new HeldEvent(new QueuedEvent(event, Source.HOT, 0), hold);
        if (lanes.offer(held)) {
            metrics.hotEnqueued();
        } else {
            completion.giveBack(hold);
            drop(event);
        }
    }

    private void skip(EventEnvelope event) {
        metrics.hotSkippedDelayed();
        alarm.dueAt(EventTypes.only(event.eventType()), event.availableAt());
    }

    private void drop(EventEnvelope event) {
        metrics.hotDropped();
        warnOfDrop(event);
        alarm.dueSoon(EventTypes.only(event.eventType()));
    }

    /** Ends the reservation. If the write failed, the event may be there from before, passed over by the poller since. */
    private void rolledBack(Entry entry, boolean written) {
        if (entry.hold != null) {
            owned.undo(entry.hold);
            if (!written) {
                alarm.dueNow(EventTypes.only(entry.event.eventType()));
            }
        }
    }

    /**
     * Gives the event back, if it is there at all. A reservation that is over was taken by the poller, which then holds
     * the event, or it was forgotten, and then the lock in the row is nobody's.
     */
    private void leaveToPoller(Entry entry, String ownerId) {
        if (entry.hold == null) {
            return;
        }
        String eventId = entry.event.eventId();
        Hold hold = entry.hold;
        if (!owned.confirm(hold)) {
            hold = ownerId == null || owned.isHeld(eventId)
                    ? null
                    : owned.acquireClaimed(eventId, ownerId, System.nanoTime());
        }
        if (hold != null) {
            completion.giveBack(hold);
        }
        alarm.dueNow(EventTypes.only(entry.event.eventType()));
    }

    private void warnOfDrop(EventEnvelope event) {
        long count = dropped.incrementAndGet();
        long last = lastWarning.get();
        long now = System.nanoTime();
        if (now - last >= WARNING_PERIOD_NANOS && lastWarning.compareAndSet(last, now)) {
            LOG.log(
                    Level.WARNING,
                    "Hot queue full or closed: event {0} is left to the poller ({1} so far)",
                    event.eventId(),
                    count);
        }
    }
}
