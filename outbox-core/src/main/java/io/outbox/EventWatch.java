package io.outbox;

import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.spi.HousekeepingBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks events up, and waits for their end. Thread-safe.
 *
 * <p>What this node ends itself, it is told of. What other nodes end is seen by looking into the store. However many
 * threads wait, one of them looks, for all of those whose turn it is, and not more often than every {@value #PAUSE_MS}
 * ms; each event is looked at less and less often the longer it takes, down to once in {@value #LONGEST_PAUSE_MS} ms.
 */
final class EventWatch {

    private static final long PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 1_000;

    private final HousekeepingBackend store;
    private final Predicate<String> heldHere;
    /** By event id; changed under the lock. */
    private final Map<String, Awaited> awaited = new ConcurrentHashMap<>();

    private boolean isLooking;
    private long lookedAt = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(PAUSE_MS);

    /** @param heldHere tells whether this node has an event in hand */
    EventWatch(HousekeepingBackend store, Predicate<String> heldHere) {
        this.store = store;
        this.heldHere = heldHere;
    }

    private enum Turn {
        OVER,
        LOOK,
        LATE
    }

    /** An event whose end somebody waits for. Guarded by the lock of the watch. */
    private static final class Awaited {

        private int waiters;
        private @Nullable EventView last;
        private boolean isOver;
        private long pauseNanos = TimeUnit.MILLISECONDS.toNanos(PAUSE_MS);
        private long nextLookAt = System.nanoTime();

        void looked(@Nullable EventView view, long now) {
            if (view != null) {
                last = view;
                isOver |= view.state().isEnd();
            } else if (last != null && !isOver) {
                last = last.gone();
                isOver = true;
            }
            nextLookAt = now + pauseNanos;
            pauseNanos = Math.min(2 * pauseNanos, TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MS));
        }
    }

    Optional<EventView> find(String eventId) {
        return Optional.ofNullable(look(List.of(eventId)).get(eventId));
    }

    private Map<String, EventView> look(List<String> eventIds) {
        Map<String, EventView> views = new HashMap<>();
        for (InspectedEvent event : store.lookUp(eventIds)) {
            String id = event.event().eventId();
            views.put(id, EventView.of(event, heldHere.test(id)));
        }
        return views;
    }

    /** Called when this node has made the end of an event durable. Costs next to nothing while nobody waits. */
    void ended(String eventId, EventStatus status) {
        if (!awaited.isEmpty() && awaited.containsKey(eventId)) {
            synchronized (this) {
                Awaited event = awaited.get(eventId);
                if (event != null) {
                    EventView.State state = status == EventStatus.DONE ? EventView.State.DONE : EventView.State.DEAD;
                    event.last = event.last == null
                            ? new EventView(eventId, null, state, 0, null, null, null, null)
                            : event.last;
                    event.isOver = true;
                    notifyAll();
                }
            }
        }
    }

    EventView await(String eventId, Duration timeout) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Awaited event = begin(eventId);
        try {
            Turn turn;
            while ((turn = next(event, deadline)) == Turn.LOOK) {
                lookAtAll();
            }
            // read once more: for what the row says about an end that was told here, or because time is up
            Optional<EventView> now = find(eventId);
            if (turn == Turn.OVER) {
                return now.orElseGet(() -> Objects.requireNonNull(event.last).gone());
            }
            return now.filter(view -> view.state().isEnd())
                    .orElseThrow(() -> new TimeoutException(notEnded(eventId, now, timeout)));
        } finally {
            end(eventId, event);
        }
    }

    private synchronized Awaited begin(String eventId) {
        Awaited event = awaited.computeIfAbsent(eventId, id -> new Awaited());
        event.waiters++;
        event.nextLookAt = System.nanoTime();
        return event;
    }

    private synchronized void end(String eventId, Awaited event) {
        if (--event.waiters == 0) {
            awaited.remove(eventId, event);
        }
    }

    private static String notEnded(String eventId, Optional<EventView> now, Duration timeout) {
        return "Event " + eventId + " has not ended within " + timeout.toMillis() + " ms: "
                + now.map(view -> "it is " + view.state() + " after " + view.attempts() + " failed attempts"
                                + (view.rootCause() == null ? "" : ", the last one by " + view.rootCause()))
                        .orElse("there is none with this id yet, or it is done and deleted");
    }

    /** Waits until the event is over, time is up, or it is this thread's turn to look. */
    private synchronized Turn next(Awaited event, long deadline) throws InterruptedException {
        while (!event.isOver) {
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                return Turn.LATE;
            }
            long toLook = Math.max(event.nextLookAt - now, lookedAt + TimeUnit.MILLISECONDS.toNanos(PAUSE_MS) - now);
            if (!isLooking && toLook <= 0) {
                isLooking = true;
                return Turn.LOOK;
            }
            long left = isLooking ? deadline - now : Math.min(deadline - now, toLook);
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1_000_000, left));
        }
        return Turn.OVER;
    }

    /** Looks at all events whose turn it is, in one statement. */
    private void lookAtAll() {
        Map<String, EventView> views = Map.of();
        List<String> due = due();
        boolean isDone = false;
        try {
            views = look(due);
            isDone = true;
        } finally {
            looked(isDone ? due : List.of(), views);
        }
    }

    private synchronized List<String> due() {
        long now = System.nanoTime();
        List<String> due = new ArrayList<>();
        awaited.forEach((id, event) -> {
            if (!event.isOver && event.nextLookAt - now <= 0) {
                due.add(id);
            }
        });
        return due;
    }

    private synchronized void looked(List<String> eventIds, Map<String, EventView> views) {
        long now = System.nanoTime();
        lookedAt = now;
        isLooking = false;
        for (String id : eventIds) {
            Awaited event = awaited.get(id);
            if (event != null) {
                event.looked(views.get(id), now);
            }
        }
        notifyAll();
    }
}
