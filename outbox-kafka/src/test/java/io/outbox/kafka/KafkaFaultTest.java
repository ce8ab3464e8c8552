package io.outbox.kafka;

import static io.outbox.kafka.Outcomes.event;
import static io.outbox.kafka.Outcomes.events;
import static io.outbox.kafka.Outcomes.reason;
import static io.outbox.kafka.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of events when broker or network fail. All clients of the broker go by a proxy. */
@Timeout(240)
class KafkaFaultTest {

    /** One record per request and one request at a time; a record stays in the producer beyond the emergency timeout. */
    private static final Map<String, Object> ONE_BY_ONE =
            Map.of("batch.size", "1", "max.in.flight.requests.per.connection", "1", "delivery.timeout.ms", "40000");

    private static KafkaServer server;
    private static TcpProxy proxy;
    private static Topics topics;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = KafkaServer.start();
        proxy = TcpProxy.start(server.port());
        server.advertise(proxy);
        topics = new Topics(server);
    }

    @AfterAll
    static void stop() {
        proxy.close();
        server.close();
    }

    @AfterEach
    void mendAndClose() throws Exception {
        server.resume();
        proxy.accept();
        proxy.resume();
        proxy.delay(Duration.ZERO);
        while (!open.isEmpty()) {
            open.remove(open.size() - 1).close();
        }
    }

    @Test
    void aBrokerThatWasNeverReachedIsAnOutageAndCostsOneWait() {
        KafkaEventPublisher publisher = track(KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", "127.0.0.1:1"))
                .topic("t")
                .emergencyTimeout(Duration.ofSeconds(4))
                .build());

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(50));

        assertThat(words(outcomes)).hasSize(50).containsOnly("unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
    }

    @Test
    void aBrokerThatStopsAnsweringIsAnOutageAndWorksAgainAfterwards() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(6), Map.of());
        publisher.onEvents(events(1));

        server.pause();
        List<BatchOutcome> outcomes = publisher.onEvents(events(20));
        server.resume();

        assertThat(words(outcomes)).hasSize(20).containsOnly("unavailable");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void aSlowBrokerIsWaitedFor() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(30), Map.of());
        publisher.onEvents(events(1));

        proxy.delay(Duration.ofMillis(400));
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(50));

        assertThat(words(outcomes)).hasSize(50).containsOnly("done");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(800));
        proxy.delay(Duration.ZERO);
        assertThat(topics.eventIds(topic)).hasSize(51).doesNotHaveDuplicates();
    }

    @Test
    void aLostAcknowledgementCostsTheEmergencyTimeoutAndTheEventIsThere() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(3), Map.of("delivery.timeout.ms", "40000"));
        publisher.onEvents(events(1));
        List<EventEnvelope> batch = events(5);

        // The request passes and the answer does not.
        proxy.delay(Duration.ofMillis(500));
        CompletableFuture<Void> stall = stallAfter(Duration.ofMillis(800));
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        stall.join();
        proxy.delay(Duration.ZERO);
        proxy.resume();

        assertThat(words(outcomes)).hasSize(5).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("PT3S");
        assertThat(took).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(6));
        assertThat(topics.eventIds(topic))
                .endsWith(batch.stream().map(EventEnvelope::eventId).toArray(String[]::new));
    }

    @Test
    void theEmergencyTimeoutFailsOnlyWhatWasNotAcknowledged() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(3), ONE_BY_ONE);
        publisher.onEvents(events(1));

        proxy.delay(Duration.ofMillis(50));
        stallAfter(Duration.ofMillis(700));
        List<BatchOutcome> outcomes = publisher.onEvents(events(30));

        List<String> words = words(outcomes);
        int done = words.indexOf("unavailable");
        assertThat(done).as("acknowledged before the network fell silent").isBetween(1, 29);
        assertThat(words.subList(0, done)).containsOnly("done");
        assertThat(words.subList(done, 30))
                .as("silence is an outage, also in mid-batch")
                .containsOnly("unavailable");
        assertThat(reason(outcomes.get(done)))
                .contains("not acknowledged within")
                .contains("PT3S");
    }

    @Test
    void closingThePublisherEndsABatchUnderWay() {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(100), Map.of());
        publisher.onEvents(events(1));

        server.pause();
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(5)));
        await().during(Duration.ofMillis(300)).until(() -> !underWay.isDone());
        publisher.close();

        assertThat(underWay)
                .succeedsWithin(Duration.ofSeconds(10))
                .satisfies(outcomes -> assertThat(words(outcomes)).hasSize(5).containsOnly("unavailable"));
    }

    @Test
    void anInterruptEndsABatchUnderWayAndKeepsWhatWasAcknowledged() throws Exception {
        String topic = topics.create();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(60), ONE_BY_ONE);
        publisher.onEvents(events(1));
        CompletableFuture<List<String>> outcomes = new CompletableFuture<>();
        AtomicBoolean interruptKept = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            List<BatchOutcome> result = publisher.onEvents(events(30));
            interruptKept.set(Thread.currentThread().isInterrupted());
            outcomes.complete(words(result));
        });

        proxy.delay(Duration.ofMillis(50));
        stallAfter(Duration.ofMillis(700));
        worker.start();
        await().during(Duration.ofMillis(1500)).until(() -> !outcomes.isDone());
        worker.interrupt();

        List<String> words = outcomes.get(5, TimeUnit.SECONDS);
        assertThat(words).startsWith("done").endsWith("unavailable").containsOnly("done", "unavailable");
        assertThat(interruptKept).isTrue();
        worker.join();
    }

    @Test
    void aKilledBrokerUnderLoadLosesNothingAndTheProducerDuplicatesNothing() {
        String topic = topics.create(3, Map.of());
        RecordingListener listener = new RecordingListener(publisher(topic, Duration.ofSeconds(60), Map.of()));

        Set<String> written = deliverWhileTheBrokerIsKilled(listener, Duration.ofSeconds(1));

        List<String> arrived = topics.eventIds(topic);
        assertThat(listener.unsuccessful()).isEmpty();
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(written);
    }

    @Test
    void aKilledBrokerWithShortTimeoutsLosesNothingAndDuplicatesOnlyWhatWasInFlight() {
        String topic = topics.create(3, Map.of());
        RecordingListener listener = new RecordingListener(publisher(topic, Duration.ofMillis(1500), Map.of()));

        Set<String> written = deliverWhileTheBrokerIsKilled(listener, Duration.ofSeconds(3));

        List<String> arrived = topics.eventIds(topic);
        assertThat(listener.unsuccessful()).as("the outage was noticed").isNotEmpty();
        assertThat(arrived).containsAll(written);
        Set<String> once = new HashSet<>();
        assertThat(arrived).filteredOn(id -> !once.add(id)).as("arrived twice").isSubsetOf(listener.unsuccessful());
    }

    @Test
    void aShutdownDuringASendGivesTheEventsBackAndTheNextOutboxDeliversThem() {
        String topic = topics.create();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        KafkaEventPublisher publisher = publisher(topic, Duration.ofSeconds(60), Map.of());
        publisher.onEvents(events(1));
        Set<String> written = new HashSet<>();

        server.pause();
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register("order-created", publisher))
                .drainTimeoutMs(200)
                .build()) {
            backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(50))));
        }
        assertThat(backend.events())
                .allSatisfy(stored -> assertThat(stored.isPending()).isTrue())
                .allSatisfy(stored -> assertThat(stored.attempts()).isZero());
        server.resume();

        track(outbox(backend, new RecordingListener(publisher)));
        awaitDone(backend);
        assertThat(topics.eventIds(topic)).containsAll(written);
    }

    /** Writes events for some seconds, with the broker gone for a while in between, until all are done. */
    private Set<String> deliverWhileTheBrokerIsKilled(RecordingListener listener, Duration down) {
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        Set<String> written = new HashSet<>();
        try (Outbox outbox = outbox(backend, listener)) {
            AtomicBoolean writing = new AtomicBoolean(true);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (writing.get()) {
                    backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(5))));
                    await().pollDelay(Duration.ofMillis(5)).until(() -> true);
                }
            });
            await().until(() -> backend.events().stream().anyMatch(event -> event.status() == EventStatus.DONE));

            server.kill();
            await().pollDelay(down).until(() -> true);
            server.restart();

            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            writing.set(false);
            writer.join();
            awaitDone(backend);
        }
        return written;
    }

    private static Outbox outbox(InMemoryOutboxBackend backend, RecordingListener listener) {
        return Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register("order-created", listener))
                .maxAttempts(1_000)
                .retryPolicy(attempts -> 100)
                .intervalMs(100)
                .build();
    }

    private static void awaitDone(InMemoryOutboxBackend backend) {
        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(backend.events()).allMatch(event -> event.status() == EventStatus.DONE));
    }

    private KafkaEventPublisher publisher(String topic, Duration emergencyTimeout, Map<String, Object> config) {
        return publisher(KafkaEventPublisher.builder().topic(topic).emergencyTimeout(emergencyTimeout), config);
    }

    private KafkaEventPublisher publisher(KafkaEventPublisher.Builder builder, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.put("bootstrap.servers", server.bootstrapServers());
        return track(builder.producerConfig(all).build());
    }

    private static CompletableFuture<Void> stallAfter(Duration delay) {
        return CompletableFuture.runAsync(
                proxy::stall, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
    }

    private <T extends AutoCloseable> T track(T resource) {
        open.add(resource);
        return resource;
    }
}
