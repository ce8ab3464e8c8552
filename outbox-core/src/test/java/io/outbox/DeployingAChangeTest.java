package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two versions of an application on one store, as during a rolling deployment. */
@ExtendWith(NoLeftoverThreads.class)
class DeployingAChangeTest {

    private static final int EVENTS = 30;

    private final ScriptedBackend store = new ScriptedBackend().withoutTransactions();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<Outbox> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Outbox::close);
    }

    /** Reads the words of its version. */
    private record Words(Set<String> known) implements JsonCodec {

        @Override
        public String toJson(Object obj) {
            return obj.toString();
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
            if (!known.contains(json)) {
                throw new PayloadParseException("not one of " + known);
            }
            return type.cast(json);
        }
    }

    private Outbox node(DefaultListenerRegistry registry, String... words) {
        Outbox node = Outbox.multiNode()
                .backend(store)
                .listenerRegistry(registry)
                .claimLocking(Duration.ofMinutes(5))
                .jsonCodec(new Words(Set.of(words)))
                .intervalMs(20)
                .drainTimeoutMs(1000)
                .build();
        nodes.add(node);
        return node;
    }

    private DefaultListenerRegistry listening(String eventType, String version) {
        return new DefaultListenerRegistry().register(eventType, event -> {
            delivered.add(version + " " + event.eventType() + " " + event.payload(String.class));
            return DispatchResult.done();
        });
    }

    private void awaitDone(int count) {
        await().atMost(Duration.ofSeconds(30)).until(() -> store.count(EventStatus.DONE) == count);
        assertThat(delivered).hasSize(count);
        assertThat(store.count(EventStatus.DEAD)).isZero();
    }

    @Test
    void aRenamedTypeReachesTheListenersOfBothVersions() {
        Outbox old = node(listening("OrderPlaced", "old"), "a");
        Outbox fresh = node(listening("OrderAccepted", "new").alias("OrderPlaced", "OrderAccepted"), "a");

        for (int i = 0; i < EVENTS; i++) {
            old.publisher().publish("OrderPlaced", "a");
            fresh.publisher().publish("OrderAccepted", "a");
        }

        awaitDone(2 * EVENTS);
        assertThat(delivered).doesNotContain("old OrderAccepted a").contains("new OrderAccepted a");

        old.close();
        store.put(EventEnvelope.ofJson("OrderPlaced", "a"));
        awaitDone(2 * EVENTS + 1);
        assertThat(delivered).endsWith("new OrderPlaced a");
    }

    @Test
    void aPayloadThatOnlyTheNewVersionReadsIsLeftToIt() {
        Outbox old = node(listening("Shipped", "old"), "STANDARD");
        IntStream.range(0, EVENTS).forEach(i -> store.put(EventEnvelope.ofJson("Shipped", "EXPRESS")));
        old.publisher().publish("Shipped", "STANDARD");
        await().until(() -> delivered.contains("old Shipped STANDARD"));

        node(listening("Shipped", "new"), "STANDARD", "EXPRESS");

        awaitDone(EVENTS + 1);
        assertThat(delivered).doesNotContain("old Shipped EXPRESS");
    }

    @Test
    void afterARollbackWhatOnlyTheNewVersionReadsWaits() {
        Outbox fresh = node(listening("Shipped", "new"), "STANDARD", "EXPRESS");
        fresh.close();
        fresh.publisher().publish("Shipped", "EXPRESS");
        Outbox old = node(listening("Shipped", "old"), "STANDARD");
        old.publisher().publish("Shipped", "STANDARD");
        await().until(() -> delivered.contains("old Shipped STANDARD"));
        assertThat(store.count(EventStatus.DEAD)).isZero();

        node(listening("Shipped", "newer"), "STANDARD", "EXPRESS");

        awaitDone(2);
        assertThat(delivered).contains("newer Shipped EXPRESS");
    }
}
