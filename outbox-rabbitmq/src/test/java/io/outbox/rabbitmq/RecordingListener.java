package io.outbox.rabbitmq;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Passes batches on and remembers which events did not succeed at once, and when those calls began. */
final class RecordingListener implements BatchEventListener {

    private final BatchEventListener target;
    private final Map<String, Long> unsuccessful = new ConcurrentHashMap<>();

    RecordingListener(BatchEventListener target) {
        this.target = target;
    }

    @Override
    public List<BatchOutcome> onEvents(List<EventEnvelope> events) throws Exception {
        long begin = System.nanoTime();
        List<BatchOutcome> outcomes = target.onEvents(events);
        for (int i = 0; i < outcomes.size(); i++) {
            if (!outcomes.get(i).equals(BatchOutcome.done())) {
                unsuccessful.putIfAbsent(events.get(i).eventId(), begin);
            }
        }
        return outcomes;
    }

    @Override
    public int maxBatchSize() {
        return target.maxBatchSize();
    }

    /** Returns the events whose first call began before this time and did not succeed. */
    Set<String> unsuccessfulBefore(long nanoTime) {
        return unsuccessful.entrySet().stream()
                .filter(event -> event.getValue() - nanoTime < 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
