package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.model.EventCount;
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
 * The actuator endpoint {@code outbox}: state, counts and lag of every outbox, by the name of its bean; pause and resume.
 *
 * <p>Over HTTP: {@code GET /actuator/outbox}, {@code POST /actuator/outbox/pause} and {@code POST
 * /actuator/outbox/resume} for all outboxes, the latter two followed by {@code /name} for one.
 */
@Endpoint(id = "outbox")
public final class OutboxEndpoint {

    private final Map<String, Outbox> outboxes;

    public OutboxEndpoint(Map<String, Outbox> outboxes) {
        this.outboxes = new TreeMap<>(outboxes);
    }

    /** What to do with delivery. */
    public enum Action {
        PAUSE,
        RESUME
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
     * @param eventTypes the types that have events which are not finished
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
     */
    public record TypeDescriptor(
            String eventType, long pending, long oldestLagMs, long later, long inProcess, long dead) {}

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
        outboxes.values().forEach(outbox -> change(outbox, action));
        return outboxes();
    }

    /** Pauses or resumes the delivery of one outbox and returns the state of all. */
    @WriteOperation
    public Descriptor change(@Selector Action action, @Selector String outbox) {
        Outbox chosen = outboxes.get(outbox);
        if (chosen == null) {
            throw new InvalidEndpointRequestException(
                    "There is no outbox named '" + outbox + "', only " + outboxes.keySet(), "There is no such outbox");
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
        Set<String> types = new TreeSet<>(due.keySet());
        types.addAll(unfinished.keySet());
        return types.stream()
                .map(type -> describe(
                        due.getOrDefault(type, new PendingEvents(type, 0, now)),
                        unfinished.getOrDefault(type, new EventCount(type, 0, 0)),
                        status.dead() == 0 ? 0 : outbox.deadEvents().count(type),
                        now))
                .toList();
    }

    private static TypeDescriptor describe(PendingEvents due, EventCount unfinished, long dead, Instant now) {
        return new TypeDescriptor(
                due.eventType(),
                due.count(),
                Lag.of(due, now).toMillis(),
                Math.max(0, unfinished.pending() + unfinished.inProcess() - due.count()),
                unfinished.inProcess(),
                dead);
    }
}
