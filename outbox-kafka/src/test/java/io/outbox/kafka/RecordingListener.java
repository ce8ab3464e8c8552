package io.outbox.kafka;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Passes batches on and remembers which events did not succeed at once: only those may arrive twice. */
final class RecordingListener implements BatchEventListener {

    private final BatchEventListener target;
    private final Set<String> unsuccessful = ConcurrentHashMap.newKeySet();

    RecordingListener(BatchEventListener target) {
        this.target = target;
    }

    @Override
    public List<BatchOutcome> onEvents(List<EventEnvelope> events) throws Exception {
        List<BatchOutcome> outcomes = target.onEvents(events);
        for (int i = 0; i < outcomes.size(); i++) {
            if (!outcomes.get(i).equals(BatchOutcome.done())) {
                unsuccessful.add(events.get(i).eventId());
            }
        }
        return outcomes;
    }

    @Override
    public int maxBatchSize() {
        return target.maxBatchSize();
    }

    Set<String> unsuccessful() {
        return unsuccessful;
    }
}
