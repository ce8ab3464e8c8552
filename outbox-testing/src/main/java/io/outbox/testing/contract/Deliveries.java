package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What listeners saw: attempts and successes per event, and anything that must not happen. Thread-safe. */
final class Deliveries {

    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final Map<String, Integer> successes = new ConcurrentHashMap<>();
    private final Map<String, List<String>> payloadsByAggregate = new ConcurrentHashMap<>();
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

    /** Returns a listener that succeeds at once. */
    EventListener succeeding() {
        return taking(Duration.ZERO);
    }

    /** Returns a listener that takes that long, unless it is interrupted: then it fails. */
    EventListener taking(Duration time) {
        return recording((event, attempt) -> {
            if (!time.isZero()) {
                Waiting.pauseInterruptibly(time);
            }
            return DispatchResult.done();
        });
    }

    /** Returns a listener that fails up to two times per event, depending on its id, before it succeeds. */
    EventListener failingSometimes() {
        return recording((event, attempt) -> {
            if (attempt <= failuresOf(event.eventId())) {
                throw new IllegalStateException("attempt " + attempt + " fails on purpose");
            }
            return DispatchResult.done();
        });
    }

    static int failuresOf(String eventId) {
        return Math.floorMod(eventId.hashCode(), 3);
    }

    /** The work of a listener; {@code attempt} counts from 1. */
    interface Work {
        DispatchResult on(EventEnvelope event, int attempt) throws Exception;
    }

    /** Returns a listener that records what the work makes of each event. */
    EventListener recording(Work work) {
        return event -> {
            enter(event);
            try {
                DispatchResult result = work.on(event, attempts.get(event.eventId()));
                if (result instanceof DispatchResult.Done) {
                    success(event);
                }
                return result;
            } finally {
                exit(event);
            }
        };
    }

    /** Notes the beginning of an attempt. */
    void enter(EventEnvelope event) {
        attempts.merge(event.eventId(), 1, Integer::sum);
        if (!underWay.add(event.eventId())) {
            violations.add("event " + event.eventId() + " is with two listeners at the same time");
        }
        Instant now = Instant.now();
        if (event.isDelayed() && now.isBefore(event.availableAt())) {
            violations.add(event + " came before its time, at " + now);
        }
    }

    /** Notes that the attempt will be reported as a success. */
    void success(EventEnvelope event) {
        if (event.aggregateId() != null) {
            payloadsByAggregate.compute(event.aggregateId(), (id, payloads) -> {
                List<String> longer = payloads == null ? new ArrayList<>() : payloads;
                longer.add(event.payloadJson());
                return longer;
            });
        }
        if (successes.merge(event.eventId(), 1, Integer::sum) > 1) {
            violations.add("event " + event.eventId() + " was delivered more than once");
        }
    }

    /** Notes the end of an attempt. */
    void exit(EventEnvelope event) {
        underWay.remove(event.eventId());
    }

    int attempts(String eventId) {
        return attempts.getOrDefault(eventId, 0);
    }

    int succeeded() {
        return successes.size();
    }

    /** Returns the payloads of an aggregate's events in the order of their delivery. */
    List<String> payloadsOf(String aggregateId) {
        return payloadsByAggregate.getOrDefault(aggregateId, List.of());
    }

    /** Checks that exactly these events were delivered, each once, and that nothing forbidden happened. */
    void assertExactly(Collection<String> eventIds) {
        assertThat(violations).isEmpty();
        Set<String> missing = new HashSet<>(eventIds);
        missing.removeAll(successes.keySet());
        assertThat(missing).as("committed but not delivered").isEmpty();
        Set<String> unexpected = new HashSet<>(successes.keySet());
        new HashSet<>(eventIds).forEach(unexpected::remove);
        assertThat(unexpected).as("delivered but not committed").isEmpty();
    }
}
