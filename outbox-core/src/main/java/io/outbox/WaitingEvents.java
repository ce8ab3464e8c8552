package io.outbox;

import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.model.InspectedEvent;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events that wait for their delivery, whether their first or another attempt, and what operators do about them.
 * Thread-safe.
 *
 * <p>An event that a node has in hand is left alone: its listener may be at work, and its outcome would be lost. The
 * answer names it. Where several nodes share the store, the lock in the store tells, however old it is; {@code
 * InspectionBackend.release} unlocks what a node has left behind. A node that is alone knows what it holds, so ask that
 * node and not another process.
 *
 * <p>Failures of the store are thrown. What was changed before stands, and a call that is repeated changes nothing
 * twice.
 */
public final class WaitingEvents {

    private static final int BATCH = 200;

    /** What delivery knows of events that somebody has in hand. */
    interface Holders {

        /** Makes outcomes durable of events that nobody has in hand; returns those that stand. */
        Map<String, EventStatus> applyToFree(List<Outcome> outcomes);

        /** Returns whether what nodes hold is locked in the store, or known to this node alone. */
        boolean areInStore();
    }

    private final HousekeepingBackend store;
    private final Holders holders;
    private final Supplier<Instant> now;
    private final Runnable dueNow;
    private final BiConsumer<Collection<String>, Duration> died;

    /**
     * @param now the time by which events are due
     * @param dueNow called when events have become due, or let others of their key go on
     * @param died told of events that were cancelled, and how long that took
     */
    WaitingEvents(
            HousekeepingBackend store,
            Holders holders,
            Supplier<Instant> now,
            Runnable dueNow,
            BiConsumer<Collection<String>, Duration> died) {
        this.store = store;
        this.holders = holders;
        this.now = now;
        this.dueNow = dueNow;
        this.died = died;
    }

    /**
     * Makes events due now: those that wait for their next attempt, for a time in the future, or for an operator
     * because they block their key. No attempt is counted and none is given back; an event that is due already stays as
     * it is.
     *
     * @throws UnsupportedOperationException if the store cannot look up events by their id
     */
    public WaitingChange retryNow(Collection<String> eventIds) {
        Instant now = this.now.get();
        WaitingChange change = change(
                eventIds,
                event -> event.event().availableAt().isAfter(now)
                        ? new Outcome.Deferred(event.event().eventId(), now)
                        : null);
        if (!change.changed().isEmpty()) {
            dueNow.run();
        }
        return change;
    }

    /**
     * Ends events without a delivery: they go DEAD, or become dead letters, with a text that names the operator, and
     * can be replayed like any other dead event. If one of them held up its key, the key goes on with the next one.
     *
     * @param by who does it
     * @throws UnsupportedOperationException if the store cannot look up events by their id
     */
    public WaitingChange cancel(Collection<String> eventIds, String by) {
        Check.notBlank(by, "by");
        long begin = System.nanoTime();
        WaitingChange change =
                change(eventIds, event -> new Outcome.Dead(event.event().eventId(), reason(by, event.lastError())));
        if (!change.changed().isEmpty()) {
            died.accept(change.changed(), Duration.ofNanos(System.nanoTime() - begin));
            dueNow.run();
        }
        return change;
    }

    private static String reason(String by, @Nullable String lastError) {
        return "Cancelled by " + by
                + (lastError == null
                        ? ""
                        : ". Before: " + FailureText.of(lastError).inOneLine());
    }

    /** @param outcome gives what is to become of an event that waits, or {@code null} if it is so already */
    private WaitingChange change(Collection<String> eventIds, Function<InspectedEvent, @Nullable Outcome> outcome) {
        Answer answer = new Answer();
        List<String> all = List.copyOf(new LinkedHashSet<>(eventIds));
        for (int from = 0; from < all.size(); from += BATCH) {
            changeSome(all.subList(from, Math.min(from + BATCH, all.size())), outcome, answer);
        }
        return answer.change();
    }

    private void changeSome(List<String> eventIds, Function<InspectedEvent, @Nullable Outcome> outcome, Answer answer) {
        List<Outcome> wanted = new ArrayList<>();
        for (InspectedEvent event : look(eventIds, answer)) {
            Outcome one = outcome.apply(event);
            if (one == null) {
                answer.changed.add(event.event().eventId());
            } else {
                wanted.add(one);
            }
        }
        Set<String> standing = apply(wanted, answer);
        answer.changed.addAll(standing);
        List<String> unchanged =
                wanted.stream().map(Outcome::eventId).filter(answer::isOpen).toList();
        String holder = holders.areInStore() ? WaitingChange.ANOTHER_NODE : WaitingChange.THIS_NODE;
        look(unchanged, answer).forEach(event -> answer.held.put(event.event().eventId(), holder));
    }

    /** Makes the change but for rows that are locked, which the answer then tells of. */
    private Set<String> apply(List<Outcome> wanted, Answer answer) {
        List<Outcome> free = new ArrayList<>(wanted);
        while (!free.isEmpty()) {
            try {
                return holders.applyToFree(free).keySet();
            } catch (EventsLockedException e) {
                boolean isLess = free.removeIf(one -> e.eventIds().contains(one.eventId()));
                e.eventIds().forEach(id -> answer.held.put(id, WaitingChange.IN_A_TRANSACTION));
                if (!isLess) {
                    throw e;
                }
            }
        }
        return Set.of();
    }

    /** Looks at events: those that cannot be changed go into the answer, those that wait and are free are returned. */
    private List<InspectedEvent> look(List<String> eventIds, Answer answer) {
        if (eventIds.isEmpty()) {
            return List.of();
        }
        Map<String, InspectedEvent> found = new LinkedHashMap<>();
        store.lookUp(eventIds).forEach(event -> found.put(event.event().eventId(), event));
        List<InspectedEvent> free = new ArrayList<>();
        for (String id : eventIds) {
            InspectedEvent event = found.get(id);
            if (event == null) {
                answer.missing.add(id);
            } else if (event.status().isTerminal()) {
                answer.ended.add(id);
            } else if (holders.areInStore() && event.lock() != null) {
                answer.held.put(id, event.lock().node());
            } else {
                free.add(event);
            }
        }
        return free;
    }

    /** What is known of the events so far. */
    private static final class Answer {

        private final Set<String> changed = new HashSet<>();
        private final Map<String, String> held = new HashMap<>();
        private final Set<String> ended = new HashSet<>();
        private final Set<String> missing = new HashSet<>();

        boolean isOpen(String eventId) {
            return !changed.contains(eventId) && !held.containsKey(eventId);
        }

        WaitingChange change() {
            return new WaitingChange(changed, held, ended, missing);
        }
    }
}
