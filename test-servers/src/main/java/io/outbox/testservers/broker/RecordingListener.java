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
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Passes batches on and remembers which events did not succeed at once, and when those calls began. */
public final class RecordingListener extends ForwardingBatchListener {

    private final Map<String, Long> unsuccessful = new ConcurrentHashMap<>();

    public RecordingListener(BatchEventListener target) {
        super(target);
    }

    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        long begin = System.nanoTime();
        List<BatchOutcome> outcomes = super.onEvents(events, infos, silence);
        for (int i = 0; i < outcomes.size(); i++) {
            if (!outcomes.get(i).equals(BatchOutcome.done())) {
                unsuccessful.putIfAbsent(events.get(i).eventId(), begin);
            }
        }
        return outcomes;
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
