package io.outbox.testservers.broker;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.ForwardingBatchListener;
import io.outbox.RouteUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Passes batches on, several of them under way at a time as its target lets it, and remembers which events did not
 * succeed at once, and when those calls began.
 */
public final class RecordingListener extends ForwardingBatchListener {

    private final Map<String, Long> unsuccessful = new ConcurrentHashMap<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();

    public RecordingListener(BatchEventListener target) {
        super(target);
    }

    @Override
    public Pending begin(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        long begin = System.nanoTime();
        mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        Pending pending = forward(events, infos, silence);
        return new Pending() {
            @Override
            public void whenAnswered(Runnable action) {
                pending.whenAnswered(action);
            }

            @Override
            public List<BatchOutcome> outcomes() throws Exception {
                List<BatchOutcome> outcomes = pending.outcomes();
                underWay.decrementAndGet();
                record(events, outcomes, begin);
                return outcomes;
            }
        };
    }

    private void record(List<EventEnvelope> events, List<BatchOutcome> outcomes, long begin) {
        for (int i = 0; i < outcomes.size(); i++) {
            if (!outcomes.get(i).equals(BatchOutcome.done())) {
                unsuccessful.putIfAbsent(events.get(i).eventId(), begin);
            }
        }
    }

    /** Returns how many batches were with the target at the same time, at most. */
    public int mostUnderWay() {
        return mostUnderWay.get();
    }

    /** Returns the events that did not succeed at once: only those may arrive twice. */
    public Set<String> unsuccessful() {
        return Set.copyOf(unsuccessful.keySet());
    }

    /** Returns the events whose first call began before this time and did not succeed. */
    public Set<String> unsuccessfulBefore(long nanoTime) {
        return unsuccessful.entrySet().stream()
                .filter(event -> event.getValue() - nanoTime < 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
