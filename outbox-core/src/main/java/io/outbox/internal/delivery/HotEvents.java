package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Patience;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.writing.HotPath;
import io.outbox.internal.writing.OrderKeys;
import io.outbox.internal.writing.Reservation;
import io.outbox.spi.EventTypes;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The hot path into an engine's lanes.
 *
 * <p>Events are reserved before they are written, as far as their lane has room for them, in number and in bytes: from
 * the moment the row is visible the event is in this node's hands. In a shared store the row is written with this
 * node's lock; what the store could not lock is left to the poller, as are delayed events, those for which there is no
 * room, and those that a node writes before it delivers. Of those nothing but their name is kept until the transaction
 * ends, however many it writes.
 *
 * <p>The end of the transaction decides, and there are three: a commit queues the events, a rollback ends their
 * reservation at once, so that the same events can be written again, and if nobody knows, they are given back to the
 * store, where the poller finds those that are there.
 */
final class HotEvents implements HotPath {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final long WARNING_PERIOD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Lanes lanes;
    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final Leases leases;
    private final Routing routing;
    private final Alarm alarm;
    private final EngineMetrics metrics;
    private final Keys keys;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARNING_PERIOD_NANOS);

    /**
     * What becomes of events that keep their order.
     *
     * @param of which events do, and by which key
     * @param look is told of a key to look at
     */
    record Keys(OrderKeys of, Consumer<String> look) {

        /** No event keeps its order. */
        static final Keys NONE = new Keys(OrderKeys.NONE, key -> {});
    }

    /** @param metrics where this path's events are counted */
    HotEvents(Lanes lanes, OwnedEvents owned, LaneContext context, EngineMetrics metrics, Keys keys) {
        this.lanes = lanes;
        this.owned = owned;
        this.completion = context.completion();
        this.leases = context.leases();
        this.routing = context.routing();
        this.alarm = context.alarm();
        this.metrics = metrics;
        this.keys = keys;
    }

    @Override
    public Reservation reserve(List<EventEnvelope> events) {
        String holder = leases.holder();
        List<Entry> entries = new ArrayList<>(events.size());
        List<NewEvent> toWrite = new ArrayList<>(events.size());
        for (EventEnvelope event : events) {
            Entry entry = entry(event, holder);
            entries.add(entry);
            boolean hot = entry instanceof Reserved;
            toWrite.add(new NewEvent(event, hot ? holder : null, hot));
        }
        return new Batch(entries, toWrite, holder);
    }

    private Entry entry(EventEnvelope event, String holder) {
        if (holder != null && !lanes.isStarted()) {
            return Left.of(event, Reason.NOT_STARTED);
        }
        if (routing.isForOthers(event)) {
            routing.met(event);
            return Left.of(event, Reason.FOR_OTHERS);
        }
        String key = keys.of.of(event);
        if (key != null) {
            return new InOrder(event.eventType(), key);
        }
        Hold hold = event.isDelayed() ? null : reserve(event, holder);
        return hold == null ? Left.of(event, Reason.NO_ROOM) : new Reserved(event, hold);
    }

    /** Returns a reservation with room for the event, or {@code null} if there is none or somebody has the event. */
    private Hold reserve(EventEnvelope event, String holder) {
        Lane lane = lanes.of(event.eventType());
        Hold hold = lane.isOpenTo(event.eventType()) ? owned.reserve(event.eventId(), holder) : null;
        if (hold == null || lane.room().reserve(event, hold)) {
            return hold;
        }
        owned.undo(hold);
        return null;
    }

    /** Locks are missing, so it works for one node only. */
    @Override
    public void takeCommitted(List<EventEnvelope> events) {
        if (!leases.areKept()) {
            reserve(events).ended(TransactionEnd.COMMITTED);
            return;
        }
        for (EventEnvelope event : events) {
            if (event.isDelayed()) {
                left(Left.of(event, Reason.UNLOCKED));
            } else {
                alarm.dueNow(EventTypes.only(event.eventType()));
            }
        }
    }

    /** An event of a write. */
    private sealed interface Entry {}

    /** An event that this node delivers itself. */
    private record Reserved(EventEnvelope event, Hold hold) implements Entry {}

    /** An event that keeps its order among those of its key: after its commit, the key is looked at. */
    private record InOrder(String eventType, String key) implements Entry {}

    /**
     * An event that is left to the poller.
     *
     * @param delayedUntil when it is due, or {@code null} for at once
     */
    private record Left(String eventId, String eventType, Instant delayedUntil, Reason reason) implements Entry {

        static Left of(EventEnvelope event, Reason reason) {
            return new Left(event.eventId(), event.eventType(), event.isDelayed() ? event.availableAt() : null, reason);
        }
    }

    /** Why an event is not on the hot path. */
    private enum Reason {
        NO_ROOM,
        /** The store did not lock it. */
        UNLOCKED,
        /** Nobody here listens to it. */
        FOR_OTHERS,
        /** This node does not deliver yet, perhaps never, and others may. */
        NOT_STARTED
    }

    /** The events of one write. */
    private final class Batch implements Reservation {

        private final String holder;
        private final List<Entry> entries;
        /** What is to be written, until it is. */
        private List<NewEvent> toWrite;

        private boolean written;

        private Batch(List<Entry> entries, List<NewEvent> toWrite, String holder) {
            this.entries = entries;
            this.toWrite = toWrite;
            this.holder = holder;
        }

        @Override
        public List<NewEvent> events() {
            return toWrite;
        }

        @Override
        public void written(Set<String> locked) {
            written = true;
            toWrite = null;
            if (holder != null) {
                entries.replaceAll(entry -> lockedOrLeft(entry, locked));
            }
        }

        private Entry lockedOrLeft(Entry entry, Set<String> locked) {
            if (entry instanceof Reserved reserved && !locked.contains(reserved.event.eventId())) {
                owned.undo(reserved.hold);
                return Left.of(reserved.event, Reason.UNLOCKED);
            }
            return entry;
        }

        @Override
        public void ended(TransactionEnd end) {
            Patience patience = new Patience();
            if (end == TransactionEnd.UNKNOWN) {
                leases.answerLost();
            }
            for (Entry entry : entries) {
                if (entry instanceof Reserved reserved) {
                    ended(reserved, end, patience);
                } else if (entry instanceof InOrder ordered) {
                    if (end != TransactionEnd.ROLLED_BACK) {
                        look(ordered);
                    }
                } else if (end == TransactionEnd.COMMITTED) {
                    left((Left) entry);
                }
            }
        }

        private void ended(Reserved reserved, TransactionEnd end, Patience patience) {
            switch (end) {
                case COMMITTED -> committed(reserved, holder, patience);
                case ROLLED_BACK -> rolledBack(reserved, written);
                case UNKNOWN -> {
                    leaveToPoller(reserved, holder, patience);
                    if (holder != null) {
                        alarm.leftBehind(EventTypes.only(reserved.event.eventType()), holder);
                    }
                }
            }
        }
    }

    private void look(InOrder ordered) {
        keys.look.accept(ordered.key);
        if (!lanes.of(ordered.eventType).isOpenTo(ordered.eventType)) {
            alarm.dueElsewhere(EventTypes.only(ordered.eventType));
        }
    }

    private void committed(Reserved reserved, String holder, Patience patience) {
        if (owned.confirm(reserved.hold)) {
            queue(reserved.event, reserved.hold);
        } else {
            leaveToPoller(reserved, holder, patience);
        }
    }

    private void left(Left event) {
        EventTypes type = EventTypes.only(event.eventType);
        if (event.delayedUntil != null) {
            metrics.incrementHotSkippedDelayed();
            alarm.dueAt(type, event.delayedUntil);
            return;
        }
        switch (event.reason) {
            case NO_ROOM -> drop(event.eventId, type);
            case UNLOCKED -> alarm.dueSoon(type);
            case NOT_STARTED -> alarm.dueNow(type);
            case FOR_OTHERS -> alarm.dueElsewhere(type);
        }
    }

    private void queue(EventEnvelope event, Hold hold) {
        boolean queued = false;
        try {
            queued = lanes.offer(new HeldEvent(new QueuedEvent(event, Source.HOT, 0), hold));
        } finally {
            hold.leavePlace();
            if (!queued) {
                completion.giveBack(hold);
            }
        }
        if (queued) {
            metrics.incrementHotEnqueued();
        } else {
            drop(event.eventId(), EventTypes.only(event.eventType()));
        }
    }

    private void drop(String eventId, EventTypes type) {
        metrics.incrementHotDropped();
        String eventType = type.names().get(0);
        if (!lanes.of(eventType).isHeldUp(eventType)) { // that is known, and has been said with its reason
            warnOfDrop(eventId);
        }
        alarm.dueSoon(type);
    }

    /**
     * Ends the reservation. If the write failed, the event may be there from before, passed over by the poller since.
     */
    private void rolledBack(Reserved reserved, boolean written) {
        owned.undo(reserved.hold);
        if (!written) {
            alarm.dueNow(EventTypes.only(reserved.event.eventType()));
        }
    }

    /**
     * Gives the event back, if it is there at all. A reservation that is over was taken by the poller, which then holds
     * the event, or it was forgotten, and then the lock in the row is nobody's. It is nobody's, too, if the commit
     * takes effect after the event was given back.
     */
    private void leaveToPoller(Reserved reserved, String holder, Patience patience) {
        String eventId = reserved.event.eventId();
        Hold hold = reserved.hold;
        if (!owned.confirm(hold)) {
            hold = holder == null || owned.isHeld(eventId)
                    ? null
                    : owned.acquireClaimed(eventId, holder, owned.now(), patience);
        }
        if (hold != null) {
            completion.giveBack(hold);
        }
        alarm.dueNow(EventTypes.only(reserved.event.eventType()));
    }

    private void warnOfDrop(String eventId) {
        long count = dropped.incrementAndGet();
        long last = lastWarning.get();
        long now = System.nanoTime();
        if (now - last >= WARNING_PERIOD_NANOS && lastWarning.compareAndSet(last, now)) {
            LOG.log(
                    Level.WARNING,
                    "Hot queue full or closed: event {0} is left to the poller ({1} so far)",
                    eventId,
                    count);
        }
    }
}
