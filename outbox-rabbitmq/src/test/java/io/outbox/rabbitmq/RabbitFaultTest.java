package io.outbox.rabbitmq;

import static io.outbox.rabbitmq.Outcomes.event;
import static io.outbox.rabbitmq.Outcomes.events;
import static io.outbox.rabbitmq.Outcomes.reason;
import static io.outbox.rabbitmq.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.DefaultCredentialsProvider;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of events when broker or network fail. The code under test goes by a proxy, the test does not. */
@Timeout(240)
class RabbitFaultTest {

    private static RabbitServer server;
    private static TcpProxy proxy;
    private static Broker broker;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = RabbitServer.start();
        proxy = TcpProxy.start(server.port());
        broker = new Broker(server);
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
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("outbox-rabbitmq")));
    }

    @Test
    void aBrokerThatRefusesConnectionsIsAnOutageAtOnceAndItsReturnIsFoundAtOnce() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(20));

        proxy.refuse();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(50));

        assertThat(words(outcomes)).hasSize(50).containsOnly("unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        proxy.accept();
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void whateverGoesWrongInConnectingIsAnOutage() {
        ConnectionFactory factory = broker.factory(proxy);
        factory.setCredentialsProvider(new DefaultCredentialsProvider("guest", "guest") {
            @Override
            public String getPassword() {
                throw new IllegalStateException("no token could be fetched");
            }
        });
        RabbitEventPublisher publisher = track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange("")
                .build());

        List<BatchOutcome> outcomes = publisher.onEvents(events(3));

        assertThat(words(outcomes)).hasSize(3).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("no token could be fetched");
    }

    @Test
    void aBatchThatIsOverdueWhileTheOneAtFaultIsLookedForLeavesTheConnectionToOthers() {
        String exchange = broker.createExchangeWithQueue();
        AtomicInteger connections = new AtomicInteger();
        ConnectionFactory factory = broker.factory(proxy);
        factory.setSocketConfigurator(socket -> connections.incrementAndGet());
        RabbitEventPublisher publisher = track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange(exchange)
                .customizer((message, event) -> event.payloadJson().contains("\"n\":0")
                        ? message.withProperties(
                                message.properties().builder().userId("nobody").build())
                        : message)
                .emergencyTimeout(Duration.ofSeconds(4))
                .build());
        publisher.onEvents(List.of(event("{\"n\":1}")));

        proxy.delay(Duration.ofMillis(200));
        List<String> words = words(publisher.onEvents(events(10)));
        proxy.delay(Duration.ZERO);

        assertThat(words).startsWith("dead", "done").endsWith("unavailable");
        assertThat(words(publisher.onEvents(List.of(event("{\"n\":1}"))))).containsExactly("done");
        assertThat(connections).hasValue(1);
    }

    @Test
    void aLostConnectionIsAnOutageAtOnceAndTheNextBatchConnectsAgain() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(60));
        publisher.onEvents(events(1));

        proxy.stall();
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(10)));
        await().during(Duration.ofMillis(300)).until(() -> !underWay.isDone());
        proxy.resetAll();

        assertThat(underWay)
                .succeedsWithin(Duration.ofSeconds(5))
                .satisfies(outcomes -> assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable"));
        proxy.resume();
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void aSilentBrokerIsAnOutageAfterTheEmergencyTimeout() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(2));
        publisher.onEvents(events(1));

        proxy.stall();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(10));

        assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("PT2S");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(5));
        proxy.resume();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void aBrokerThatReadsNothingDoesNotHoldAWorkerBeyondTheEmergencyTimeout() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(2));
        publisher.onEvents(events(1));
        List<EventEnvelope> large = Stream.generate(() -> event("\"" + "x".repeat(1_000_000) + "\""))
                .limit(40)
                .toList();

        proxy.stall();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(large);

        assertThat(words(outcomes)).hasSize(40).containsOnly("unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
        proxy.resume();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void theEmergencyTimeoutFailsOnlyWhatWasNotConfirmed() {
        String healthy = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(healthy, Duration.ofSeconds(3));
        publisher.onEvents(events(1));
        List<EventEnvelope> batch = Stream.generate(() -> event("\"" + "x".repeat(20_000) + "\""))
                .limit(60)
                .toList();

        // Each piece of data takes a while, so that the first messages are confirmed before the network falls silent.
        proxy.delay(Duration.ofMillis(50));
        stallAfter(Duration.ofMillis(500));
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        List<String> words = words(outcomes);
        assertThat(words)
                .as("silence is an outage, also in mid-batch")
                .startsWith("done")
                .endsWith("unavailable")
                .containsOnly("done", "unavailable");
        assertThat(reason(outcomes.get(59))).contains("not confirmed within").contains("PT3S");
    }

    @Test
    void aLostConfirmCostsTheEmergencyTimeoutAndTheEventIsThere() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(3));
        publisher.onEvents(events(1));
        List<EventEnvelope> batch = events(1);

        // The message passes and the confirm does not.
        proxy.delay(Duration.ofMillis(500));
        stallAfter(Duration.ofMillis(800));
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        assertThat(words(outcomes)).containsExactly("unavailable");
        assertThat(broker.messageIds(exchange)).hasSize(2).endsWith(batch.get(0).eventId());
    }

    @Test
    void aSlowBrokerIsWaitedFor() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(30));
        publisher.onEvents(events(1));

        proxy.delay(Duration.ofMillis(400));
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(50));

        assertThat(words(outcomes)).hasSize(50).containsOnly("done");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(800));
        assertThat(broker.messageIds(exchange)).hasSize(51).doesNotHaveDuplicates();
    }

    @Test
    void aBrokerThatBlocksPublishersIsAnOutageUntilItUnblocksThem() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(2));
        publisher.onEvents(events(1));

        server.control("set_vm_memory_high_watermark", "absolute", "1");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("unavailable")));
        long start = System.nanoTime();
        List<BatchOutcome> blocked = publisher.onEvents(events(1));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        server.control("set_vm_memory_high_watermark", "0.4");

        assertThat(reason(blocked.get(0))).contains("blocks publishers");
        assertThat(took).as("known beforehand").isLessThan(Duration.ofSeconds(1));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void aConnectionThatAnOperatorClosesIsAnOutageAndTheNextBatchConnectsAgain() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(60));
        publisher.onEvents(events(1));

        proxy.delay(Duration.ofSeconds(10)); // longer than the command of the operator takes
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(10)));
        server.control("close_all_connections", "maintenance");

        assertThat(underWay).succeedsWithin(Duration.ofSeconds(40)).satisfies(outcomes -> {
            assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable");
            assertThat(reason(outcomes.get(0))).contains("maintenance");
        });
        proxy.delay(Duration.ZERO);
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void closingThePublisherEndsABatchUnderWay() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(100));
        publisher.onEvents(events(1));

        server.pause();
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(5)));
        await().during(Duration.ofMillis(300)).until(() -> !underWay.isDone());
        publisher.close();

        assertThat(underWay)
                .succeedsWithin(Duration.ofSeconds(5))
                .satisfies(outcomes -> assertThat(words(outcomes)).hasSize(5).containsOnly("unavailable"));
    }

    @Test
    void anInterruptEndsABatchUnderWay() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(60));
        publisher.onEvents(events(1));
        CompletableFuture<List<String>> outcomes = new CompletableFuture<>();
        AtomicBoolean interruptKept = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            List<BatchOutcome> result = publisher.onEvents(events(3));
            interruptKept.set(Thread.currentThread().isInterrupted());
            outcomes.complete(words(result));
        });

        proxy.stall();
        worker.start();
        await().during(Duration.ofMillis(300)).until(() -> !outcomes.isDone());
        worker.interrupt();

        assertThat(outcomes.get(5, TimeUnit.SECONDS)).hasSize(3).containsOnly("unavailable");
        assertThat(interruptKept).isTrue();
        worker.join();
    }

    @Test
    void aKilledBrokerUnderLoadLosesNothingAndDuplicatesOnlyWhatWasInFlight() {
        String exchange = broker.createExchangeWithQueue();
        server.saveDefinitions();
        RecordingListener listener = new RecordingListener(publisher(exchange, Duration.ofSeconds(30)));
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        Set<String> written = new HashSet<>();
        Outbox outbox = track(outbox(backend, listener));

        AtomicBoolean writing = new AtomicBoolean(true);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
            while (writing.get()) {
                backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(5))));
                await().pollDelay(Duration.ofMillis(5)).until(() -> true);
            }
        });
        await().until(() -> backend.events().stream().anyMatch(event -> event.status() == EventStatus.DONE));
        server.kill();
        long killed = System.nanoTime();
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        server.restart();
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
        writing.set(false);
        writer.join();
        awaitDone(backend);

        List<String> arrived = broker.messageIds(exchange);
        assertThat(listener.unsuccessfulBefore(System.nanoTime()))
                .as("the outage was noticed")
                .isNotEmpty();
        assertThat(backend.events())
                .as("an outage costs no attempts")
                .allSatisfy(event -> assertThat(event.attempts()).isZero());
        assertThat(arrived).containsAll(written);
        Set<String> once = new HashSet<>();
        assertThat(arrived)
                .filteredOn(id -> !once.add(id))
                .as("arrived twice")
                .isSubsetOf(listener.unsuccessfulBefore(killed));
    }

    @Test
    void aShutdownDuringASendGivesTheEventsBackAndTheNextOutboxDeliversThem() {
        String exchange = broker.createExchangeWithQueue();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        RabbitEventPublisher publisher = publisher(exchange, Duration.ofSeconds(60));
        publisher.onEvents(events(1));
        Set<String> written = new HashSet<>();

        proxy.stall();
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
        proxy.resume();

        track(outbox(backend, new RecordingListener(publisher)));
        awaitDone(backend);
        assertThat(broker.messageIds(exchange)).containsAll(written);
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
                .untilAsserted(() -> assertThat(backend.events().stream()
                                .filter(event -> event.status() != EventStatus.DONE)
                                .count())
                        .isZero());
    }

    private RabbitEventPublisher publisher(String exchange, Duration emergencyTimeout) {
        return track(RabbitEventPublisher.builder()
                .connectionFactory(broker.factory(proxy))
                .exchange(exchange)
                .emergencyTimeout(emergencyTimeout)
                .build());
    }

    private static void stallAfter(Duration delay) {
        CompletableFuture.runAsync(
                proxy::stall, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
    }

    private <T extends AutoCloseable> T track(T resource) {
        open.add(resource);
        return resource;
    }
}
