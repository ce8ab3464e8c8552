package io.outbox.spring.boot.publishing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PublishersTest {

    private final ListenerRegistries registries = new ListenerRegistries();
    private final AtomicInteger lookups = new AtomicInteger();
    private final List<EventEnvelope> written = new ArrayList<>();
    private final OutboxWriter writer = new OutboxWriter() {
        @Override
        public String write(EventEnvelope event) {
            written.add(event);
            return event.eventId();
        }

        @Override
        public List<String> writeAll(List<EventEnvelope> events) {
            return events.stream().map(this::write).toList();
        }
    };
    private final Publishers publishers = new Publishers(new ObjectEvents(text -> text), this::lookUp);

    private Destinations lookUp() {
        lookups.incrementAndGet();
        return new Destinations(null, registries, List.of(), null, () -> true);
    }

    @Test
    void lookForTheReceiversOnceAndNotForEachEvent() {
        registries.add("orders").register("Placed", event -> DispatchResult.done());
        OutboxPublisher named = publishers.of("orders", writer, null, Mode.SINGLE_NODE);
        OutboxPublisher own = publishers.of("", writer, null, Mode.SINGLE_NODE);
        assertThat(lookups).hasValue(0);

        named.publish("Placed", "1");
        named.publish("Placed", "2");
        own.publish("Placed", "3");

        assertThat(written).hasSize(3);
        assertThat(lookups).hasValue(1);
    }
}
