package io.outbox.spring.boot.internal.actuator;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus;
import io.outbox.model.PendingEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
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
     */
    public record OutboxDescriptor(
            String state,
            int hotQueueDepth,
            int coldQueueDepth,
            long pending,
            long oldestLagMs,
            long dead,
            List<TypeDescriptor> eventTypes) {}

    /** The events of one type that are due and not delivered. */
    public record TypeDescriptor(String eventType, long pending, long oldestLagMs) {}

    /** Returns the state of every outbox. */
    @ReadOperation
    public Descriptor outboxes() {
        Map<String, OutboxDescriptor> descriptors = new TreeMap<>();
        outboxes.forEach((name, outbox) -> descriptors.put(name, describe(outbox.status(), Instant.now())));
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

    private static OutboxDescriptor describe(OutboxStatus status, Instant now) {
        return new OutboxDescriptor(
                status.state().name(),
                status.hotQueueDepth(),
                status.coldQueueDepth(),
                status.pending().stream().mapToLong(PendingEvents::count).sum(),
                OutboxHealthCheck.lag(status, now).toMillis(),
                status.dead(),
                status.pending().stream()
                        .map(type -> new TypeDescriptor(
                                type.eventType(),
                                type.count(),
                                Math.max(
                                        0,
                                        Duration.between(type.oldestDueAt(), now)
                                                .toMillis())))
                        .toList());
    }
}
