package io.outbox.testservers.broker;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.ForwardingBatchListener;
import io.outbox.RouteUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Passes batches on, several of them under way at a time as its target lets it, and notes how large they are and
 * whether an event of a key is sent while another one of it has no answer yet. Shared by the nodes of a test.
 * Thread-safe.
 */
final class KeyWatch {

    private final Map<String, String> unanswered = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger largestBatch = new AtomicInteger();
    private final AtomicInteger batchesUnderWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();

    /** Returns a listener for one of the nodes. */
    BatchEventListener on(BatchEventListener target) {
        return new Watched(target);
    }

    /** Returns the pairs of events of one key that were with the broker at the same time. */
    Queue<String> violations() {
        return violations;
    }

    int largestBatch() {
        return largestBatch.get();
    }

    /** Returns how many batches were with the broker at the same time, at most. */
    int mostUnderWay() {
        return mostUnderWay.get();
    }

    private final class Watched extends ForwardingBatchListener {

        private Watched(BatchEventListener target) {
            super(target);
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            events.forEach(KeyWatch.this::sent);
            largestBatch.accumulateAndGet(events.size(), Math::max);
            mostUnderWay.accumulateAndGet(batchesUnderWay.incrementAndGet(), Math::max);
            Pending pending = forward(events, infos, silence);
            return new Pending() {
                @Override
                public void whenAnswered(Runnable action) {
                    pending.whenAnswered(action);
                }

                @Override
                public List<BatchOutcome> outcomes() throws Exception {
                    List<BatchOutcome> outcomes = pending.outcomes();
                    batchesUnderWay.decrementAndGet();
                    events.forEach(event -> unanswered.remove(event.key(), event.eventId()));
                    return outcomes;
                }
            };
        }
    }

    private void sent(EventEnvelope event) {
        String other = unanswered.put(event.key(), event.eventId());
        if (other != null) {
            violations.add(other + " had no answer when " + event.eventId() + " of key " + event.key() + " was sent");
        }
    }
}
