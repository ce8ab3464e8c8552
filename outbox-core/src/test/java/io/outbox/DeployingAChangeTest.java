package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.time.Instant;
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

    private Outbox.MultiNodeBuilder builder(DefaultListenerRegistry registry) {
        return Outbox.multiNode()
                .backend(store)
                .listenerRegistry(registry)
                .claimLocking(Duration.ofMinutes(5))
                .intervalMs(20)
                .drainTimeoutMs(1000);
    }

    private Outbox node(DefaultListenerRegistry registry, String... words) {
        Outbox node = builder(registry).jsonCodec(new Words(Set.of(words))).build();
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

    /** A node whose code knows the versions up to this one; the payload tells which upcasters it has been through. */
    private Outbox versioned(int version) {
        Outbox.MultiNodeBuilder builder = builder(new DefaultListenerRegistry().register("Paid", event -> {
            delivered.add("node of " + version + ": " + event.payloadJson());
            return DispatchResult.done();
        }));
        for (int from = 1; from < version; from++) {
            int to = from + 1;
            builder.upcaster(Upcaster.of("Paid", from, payload -> payload + ">" + to));
        }
        Outbox node = builder.build();
        nodes.add(node);
        return node;
    }

    @Test
    void bothVersionsOfAPayloadAreDeliveredWhileBothVersionsOfTheCodeRun() {
        Outbox old = versioned(1);
        Outbox fresh = versioned(2);

        for (int i = 0; i < EVENTS; i++) {
            old.publisher().publish("Paid", "1");
            fresh.publisher().publish("Paid", "2");
        }

        awaitDone(2 * EVENTS);
        assertThat(delivered)
                .contains("node of 2: 2")
                .doesNotContain("node of 1: 2")
                .isSubsetOf("node of 1: 1", "node of 2: 1>2", "node of 2: 2");
    }

    @Test
    void afterARollbackANewerVersionWaitsForItsCode() {
        Outbox fresh = versioned(3);
        fresh.close();
        fresh.publisher().publish("Paid", "3");
        Outbox old = versioned(2);
        old.publisher().publish("Paid", "2");
        await().until(() -> delivered.contains("node of 2: 2"));
        assertThat(store.count(EventStatus.DEAD)).isZero();

        versioned(3);

        awaitDone(2);
        assertThat(delivered).contains("node of 3: 3");
    }

    @Test
    void aVersionThatNoNodeKnowsIsDeadAfterTheGraceAndSaysWhatToDo() {
        store.put(EventEnvelope.builder("Paid")
                .eventId("e")
                .occurredAt(Instant.now().minus(Duration.ofMinutes(11)))
                .payloadJson("{}")
                .version(2)
                .build());

        versioned(1);

        await().until(() -> store.status("e") == EventStatus.DEAD);
        assertThat(FailureText.of(store.row("e").lastError()).summary())
                .contains("version 2", "no node has read it within 10m", "then replay the event");
        assertThat(delivered).isEmpty();
    }
}
