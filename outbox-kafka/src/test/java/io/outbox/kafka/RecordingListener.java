package io.outbox.kafka;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.ForwardingBatchListener;
import io.outbox.RouteUnavailableException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Passes batches on and remembers which events did not succeed at once: only those may arrive twice. */
final class RecordingListener extends ForwardingBatchListener {

    private final Set<String> unsuccessful = ConcurrentHashMap.newKeySet();

    RecordingListener(BatchEventListener target) {
        super(target);
    }

    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        List<BatchOutcome> outcomes = super.onEvents(events, infos, silence);
        for (int i = 0; i < outcomes.size(); i++) {
            if (!outcomes.get(i).equals(BatchOutcome.done())) {
                unsuccessful.add(events.get(i).eventId());
            }
        }
        return outcomes;
    }

    Set<String> unsuccessful() {
        return unsuccessful;
    }
}
