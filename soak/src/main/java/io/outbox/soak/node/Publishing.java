package io.outbox.soak.node;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.soak.ledger.Entry.Answer;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Sends events to the broker, and notes when each was sent and what became of it. Thread-safe. */
public final class Publishing implements BatchEventListener.Waiting, AutoCloseable {

    /** The topic to which they go. */
    public static final String TOPIC = "soak";

    private static final int BATCH = 20;

    private final Deliveries deliveries;
    private final KafkaEventPublisher publisher;

    Publishing(String broker, Deliveries deliveries) {
        this.deliveries = deliveries;
        this.publisher = KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", broker))
                .topic(TOPIC)
                .batchSize(BATCH)
                .build();
    }

    @Override
    public int maxBatchSize() {
        return publisher.maxBatchSize();
    }

    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
        List<Long> begun =
                events.stream().map(event -> deliveries.begin(event.eventId())).toList();
        List<BatchOutcome> outcomes = publisher.onEvents(events, infos, silence);
        for (int i = 0; i < begun.size(); i++) {
            deliveries.end(begun.get(i), answer(outcomes.get(i)));
        }
        return outcomes;
    }

    private static Answer answer(BatchOutcome outcome) {
        try {
            return Listener.answer(outcome.resultOrThrow());
        } catch (Exception notSent) {
            return Answer.AGAIN;
        }
    }

    @Override
    public void close() {
        publisher.close();
    }
}
