package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.model.FailureText;
import io.outbox.model.OutboxStatus;
import io.outbox.model.PendingEvents;
import io.outbox.model.UnavailableTarget;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The actuator endpoint {@code outbox}: state, counts and lag of every outbox, by its name; pause, resume and replay.
 *
 * <p>Over HTTP: {@code GET /actuator/outbox}, {@code POST /actuator/outbox/pause} and {@code POST
 * /actuator/outbox/resume} for all outboxes, the latter two followed by {@code /name} for one; {@code POST
 * /actuator/outbox/replay/eventType} for the DEAD events of a type.
 */
@Endpoint(id = "outbox")
public final class OutboxEndpoint {

    private static final int REPLAY_BATCH = 100;
    private static final int MOST_FAILURES = 100;

    private final Map<String, Outbox> outboxes;

    public OutboxEndpoint(Map<String, Outbox> outboxes) {
        this.outboxes = new TreeMap<>(outboxes);
    }

    /** What to do with delivery. */
    public enum Action {
        PAUSE,
        RESUME,
        /** Delivers DEAD events again, of one type. */
        REPLAY
    }

    /** All outboxes. */
    public record Descriptor(Map<String, OutboxDescriptor> outboxes) {}

    /**
     * One outbox.
     *
     * @param pending the number of events that are due and not delivered
     * @param oldestLagMs how long the oldest of them has waited
     * @param dead the number of DEAD events
     * @param unavailable what cannot be delivered by this node at the moment, since when and why
     * @param eventTypes the types that have events which are not finished, or DEAD
     */
    public record OutboxDescriptor(
            String state,
            int hotQueueDepth,
            int coldQueueDepth,
            long pending,
            long oldestLagMs,
            long dead,
            List<UnavailableTarget> unavailable,
            List<TypeDescriptor> eventTypes) {}

    /**
     * The events of one type.
     *
     * @param pending those that are due and not delivered
     * @param oldestLagMs how long the oldest of these has waited
     * @param later those that are not due yet, because of a delay or before a further attempt
     * @param inProcess those, of both, that are in the hands of a node
     * @param dead those that are DEAD
     * @param lastError why most of these are; {@code null} if there are none
     */
    public record TypeDescriptor(
            String eventType,
            long pending,
            long oldestLagMs,
            long later,
            long inProcess,
            long dead,
            String lastError) {}

    /** Returns the state of every outbox. */
    @ReadOperation
    public Descriptor outboxes() {
        Map<String, OutboxDescriptor> descriptors = new TreeMap<>();
        outboxes.forEach((name, outbox) -> descriptors.put(name, describe(outbox)));
        return new Descriptor(descriptors);
    }

    /** Pauses or resumes the delivery of all outboxes and returns their state. */
    @WriteOperation
    public Descriptor changeAll(@Selector Action action) {
        if (action == Action.REPLAY) {
            throw new InvalidEndpointRequestException(
                    "Choose the events to replay: POST /actuator/outbox/replay/{eventType}", "Name an event type");
        }
        outboxes.values().forEach(outbox -> change(outbox, action));
        return outboxes();
    }

    /**
     * Pauses or resumes the delivery of one outbox, or replays the DEAD events of one type, and returns the state of
     * all.
     */
    @WriteOperation
    public Descriptor change(@Selector Action action, @Selector String name) {
        if (action == Action.REPLAY) {
            outboxes.values().stream()
                    .filter(outbox -> outbox.state() != OutboxStatus.State.WRITER_ONLY)
                    .forEach(outbox -> outbox.deadEvents().replayAll(name, null, REPLAY_BATCH));
            return outboxes();
        }
        Outbox chosen = outboxes.get(name);
        if (chosen == null) {
            throw new InvalidEndpointRequestException(
                    "There is no outbox named '" + name + "', only " + outboxes.keySet(), "There is no such outbox");
        }
        change(chosen, action);
        return outboxes();
    }

    private static void change(Outbox outbox, Action action) {
        if (outbox.state() == OutboxStatus.State.WRITER_ONLY) {
            return;
        }
        if (Objects.requireNonNull(action, "action") == Action.PAUSE) {
            outbox.pause();
        } else {
            outbox.resume();
        }
    }

    private static OutboxDescriptor describe(Outbox outbox) {
        OutboxStatus status = outbox.status();
        Instant now = Instant.now();
        return new OutboxDescriptor(
                status.state().name(),
                status.hotQueueDepth(),
                status.coldQueueDepth(),
                status.pending().stream().mapToLong(PendingEvents::count).sum(),
                Lag.of(status, now).toMillis(),
                status.dead(),
                status.unavailable(),
                eventTypes(outbox, status, now));
    }

    private static List<TypeDescriptor> eventTypes(Outbox outbox, OutboxStatus status, Instant now) {
        Map<String, PendingEvents> due = new HashMap<>();
        status.pending().forEach(events -> due.put(events.eventType(), events));
        Map<String, EventCount> unfinished = new HashMap<>();
        outbox.counts().forEach(count -> unfinished.put(count.eventType(), count));
        Map<String, String> failures = status.dead() == 0 ? Map.of() : failures(outbox);
        Set<String> types = new TreeSet<>(due.keySet());
        types.addAll(unfinished.keySet());
        types.addAll(failures.keySet());
        return types.stream()
                .map(type -> describe(
                        due.getOrDefault(type, new PendingEvents(type, 0, now)),
                        unfinished.getOrDefault(type, new EventCount(type, 0, 0)),
                        status.dead() == 0 ? 0 : outbox.deadEvents().count(type),
                        failures.get(type),
                        now))
                .toList();
    }

    /**
     * Returns the types of DEAD events, each with what most of them failed by; the largest groups of failures come
     * first.
     */
    private static Map<String, String> failures(Outbox outbox) {
        Map<String, String> failures = new HashMap<>();
        outbox.deadEventOperations()
                .ifPresent(dead -> dead.groups(MOST_FAILURES)
                        .forEach(group -> failures.putIfAbsent(
                                group.eventType(), FailureText.of(group.error()).summary())));
        return failures;
    }

    private static TypeDescriptor describe(
            PendingEvents due, EventCount unfinished, long dead, String lastError, Instant now) {
        return new TypeDescriptor(
                due.eventType(),
                due.count(),
                Lag.of(due, now).toMillis(),
                Math.max(0, unfinished.pending() + unfinished.inProcess() - due.count()),
                unfinished.inProcess(),
                dead,
                lastError);
    }
}
