package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Judges whether events of each key arrive in the order in which they were written, one at a time. Writers of a key go
 * through it one after the other, so that the order of their transactions is known.
 */
final class OrderJudge {

    private final Map<String, List<String>> written = new ConcurrentHashMap<>();
    private final Map<String, Set<String>> done = new ConcurrentHashMap<>();
    private final Map<String, String> underWay = new ConcurrentHashMap<>();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> repeated = new ConcurrentLinkedQueue<>();

    /** What a listener does with an event; throws to fail. */
    interface Work {
        void on(EventEnvelope event, int attempt) throws Exception;
    }

    /** Writes an event of a key in a transaction, while no other writer of the key is in one. */
    void write(String key, Runnable transaction, String eventId) {
        List<String> ids = written.computeIfAbsent(key, any -> new ArrayList<>());
        synchronized (ids) {
            transaction.run();
            ids.add(eventId);
        }
    }

    /** Returns a listener that is judged; several of one judge share what they know. */
    EventListener listener(Work work) {
        return event -> {
            String key = event.key();
            if (key == null) {
                work.on(event, 1);
                return DispatchResult.done();
            }
            String other = underWay.putIfAbsent(key, event.eventId());
            if (other != null) {
                violations.add(
                        event.eventId() + " and " + other + " of key " + key + " are delivered at the same time");
            }
            try {
                work.on(event, attempts.merge(event.originId(), 1, Integer::sum));
                if (!done.computeIfAbsent(key, any -> java.util.Collections.synchronizedSet(new LinkedHashSet<>()))
                        .add(event.originId())) {
                    repeated.add(event.originId());
                }
                return DispatchResult.done();
            } finally {
                if (other == null) {
                    underWay.remove(key);
                }
            }
        };
    }

    int written() {
        return written.values().stream().mapToInt(List::size).sum();
    }

    int delivered() {
        return done.values().stream().mapToInt(Set::size).sum();
    }

    List<String> writtenOf(String key) {
        return written.getOrDefault(key, List.of());
    }

    List<String> deliveredOf(String key) {
        return List.copyOf(done.getOrDefault(key, Set.of()));
    }

    /** Checks that everything was delivered, in order and never two of a key at a time. */
    void assertOrder() {
        assertThat(violations).isEmpty();
        written.forEach((key, ids) -> assertThat(deliveredOf(key)).as(key).isEqualTo(ids));
    }

    /** Checks that never two events of a key were with listeners. */
    void assertOneAtATime() {
        assertThat(violations).isEmpty();
    }

    /** Checks that nothing was delivered twice, as is so while nothing fails but listeners. */
    void assertNothingRepeated() {
        assertThat(repeated).isEmpty();
    }
}
