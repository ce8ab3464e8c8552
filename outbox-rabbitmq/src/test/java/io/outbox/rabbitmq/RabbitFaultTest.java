package io.outbox.rabbitmq;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.DefaultCredentialsProvider;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.testservers.broker.BrokerFaultContract;
import io.outbox.testservers.broker.BrokerOrderContract;
import io.outbox.testservers.broker.BrokerUnderTest;
import io.outbox.testservers.broker.RecordingListener;
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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RabbitFaultTest extends BrokerFaultContract {

    private static RabbitUnderTest rabbit;

    @BeforeAll
    static void start() {
        rabbit = RabbitUnderTest.start();
    }

    @AfterAll
    static void stop() {
        rabbit.close();
    }

    @Override
    protected BrokerUnderTest broker() {
        return rabbit;
    }

    @Override
    protected BatchEventListener deadLetterSender(String target, Duration emergencyTimeout) {
        return RabbitEventPublisher.builder()
                .connectionFactory(rabbit.broker().factory(rabbit.proxy()))
                .exchange("never")
                .deadLetters(target)
                .emergencyTimeout(emergencyTimeout)
                .build();
    }

    @Override
    protected Duration timeToClose() {
        return Duration.ofSeconds(5);
    }

    @Test
    void aBrokerThatRefusesConnectionsIsAnOutageAtOnceAndItsReturnIsFoundAtOnce() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = track(rabbit.sender(exchange, Duration.ofSeconds(20)));

        rabbit.proxy().refuse();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(50));

        assertThat(words(outcomes)).hasSize(50).containsOnly("unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        rabbit.proxy().accept();
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void whateverGoesWrongInConnectingIsAnOutage() {
        ConnectionFactory factory = rabbit.broker().factory(rabbit.proxy());
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
        String exchange = rabbit.newTarget();
        AtomicInteger connections = new AtomicInteger();
        ConnectionFactory factory = rabbit.broker().factory(rabbit.proxy());
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

        rabbit.proxy().delay(Duration.ofMillis(200));
        List<String> words = words(publisher.onEvents(events(10)));
        rabbit.proxy().delay(Duration.ZERO);

        assertThat(words).startsWith("dead", "done").endsWith("unavailable");
        assertThat(words(publisher.onEvents(List.of(event("{\"n\":1}"))))).containsExactly("done");
        assertThat(connections).hasValue(1);
    }

    /** One after the other, asking would take eight seconds. */
    @Test
    void missingExchangesWithANameForEachEventAreAskedForAtATime() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = track(RabbitEventPublisher.builder()
                .connectionFactory(rabbit.broker().factory(rabbit.proxy()))
                .exchange(event -> event.payloadJson().equals("\"here\"") ? exchange : event.eventId())
                .build());
        publisher.onEvents(List.of(event("\"here\"")));
        List<EventEnvelope> batch = new ArrayList<>(events(50));
        batch.add(event("\"here\""));

        rabbit.proxy().distance(Duration.ofMillis(40));
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);
        Duration took = Duration.ofNanos(System.nanoTime() - start);

        assertThat(words(outcomes).subList(0, 50)).containsOnly("failed");
        assertThat(reason(outcomes.get(49))).contains("NOT_FOUND", batch.get(49).eventId());
        assertThat(words(outcomes).get(50)).isEqualTo("done");
        assertThat(took).isLessThan(Duration.ofSeconds(6));
    }

    @Test
    void aLostConnectionIsAnOutageAtOnceAndTheNextBatchConnectsAgain() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = track(rabbit.sender(exchange, Duration.ofSeconds(60)));
        publisher.onEvents(events(1));

        rabbit.proxy().stall();
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(10)));
        await().during(Duration.ofMillis(300)).until(() -> !underWay.isDone());
        rabbit.proxy().resetAll();

        assertThat(underWay)
                .succeedsWithin(Duration.ofSeconds(20))
                .satisfies(outcomes -> assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable"));
        rabbit.proxy().resume();
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    /**
     * Returns a sender that has sent an event; with a short timeout, a busy machine may not connect at the first
     * attempt.
     */
    private RabbitEventPublisher connected(String exchange, Duration emergencyTimeout) {
        RabbitEventPublisher publisher = track(rabbit.sender(exchange, emergencyTimeout));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
        return publisher;
    }

    @Test
    void aSilentBrokerIsAnOutageAfterTheEmergencyTimeout() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = connected(exchange, Duration.ofSeconds(2));

        rabbit.proxy().stall();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(10));

        assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("2s");
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(10));
        rabbit.proxy().resume();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void aBrokerThatReadsNothingDoesNotHoldAWorkerBeyondTheEmergencyTimeout() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = connected(exchange, Duration.ofSeconds(2));
        List<EventEnvelope> large = Stream.generate(() -> event("\"" + "x".repeat(1_000_000) + "\""))
                .limit(40)
                .toList();

        rabbit.proxy().stall();
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(large);

        assertThat(words(outcomes)).hasSize(40).containsOnly("unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        rabbit.proxy().resume();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void theEmergencyTimeoutFailsOnlyWhatWasNotConfirmed() {
        String healthy = rabbit.newTarget();
        RabbitEventPublisher publisher = track(rabbit.sender(healthy, Duration.ofSeconds(3)));
        publisher.onEvents(events(1));
        List<EventEnvelope> batch = Stream.generate(() -> event("\"" + "x".repeat(20_000) + "\""))
                .limit(60)
                .toList();

        // Each piece of data takes a while, so that the first messages are confirmed before the network falls silent.
        rabbit.proxy().delay(Duration.ofMillis(50));
        stallAfter(Duration.ofMillis(500));
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        List<String> words = words(outcomes);
        assertThat(words)
                .as("silence is an outage, also in mid-batch")
                .startsWith("done")
                .endsWith("unavailable")
                .containsOnly("done", "unavailable");
        assertThat(reason(outcomes.get(59))).contains("not confirmed within").contains("3s");
    }

    @Test
    void aBrokerThatBlocksPublishersIsAnOutageUntilItUnblocksThem() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = connected(exchange, Duration.ofSeconds(2));

        rabbit.server().control("set_vm_memory_high_watermark", "absolute", "1");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("unavailable")));
        long start = System.nanoTime();
        List<BatchOutcome> blocked = publisher.onEvents(events(1));
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        rabbit.server().control("set_vm_memory_high_watermark", "0.4");

        assertThat(reason(blocked.get(0))).contains("blocks publishers");
        assertThat(took).as("known beforehand").isLessThan(Duration.ofSeconds(5));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void aConnectionThatAnOperatorClosesIsAnOutageAndTheNextBatchConnectsAgain() {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = track(rabbit.sender(exchange, Duration.ofSeconds(60)));
        publisher.onEvents(events(1));

        rabbit.proxy().delay(Duration.ofSeconds(10)); // longer than the command of the operator takes
        CompletableFuture<List<BatchOutcome>> underWay =
                CompletableFuture.supplyAsync(() -> publisher.onEvents(events(10)));
        rabbit.server().control("close_all_connections", "maintenance");

        assertThat(underWay).succeedsWithin(Duration.ofSeconds(40)).satisfies(outcomes -> {
            assertThat(words(outcomes)).hasSize(10).containsOnly("unavailable");
            assertThat(reason(outcomes.get(0))).contains("maintenance");
        });
        rabbit.proxy().delay(Duration.ZERO);
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void anInterruptEndsABatchUnderWay() throws Exception {
        String exchange = rabbit.newTarget();
        RabbitEventPublisher publisher = track(rabbit.sender(exchange, Duration.ofSeconds(60)));
        publisher.onEvents(events(1));
        CompletableFuture<List<String>> outcomes = new CompletableFuture<>();
        AtomicBoolean interruptKept = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            List<BatchOutcome> result = publisher.onEvents(events(3));
            interruptKept.set(Thread.currentThread().isInterrupted());
            outcomes.complete(words(result));
        });

        rabbit.proxy().stall();
        worker.start();
        await().during(Duration.ofMillis(300)).until(() -> !outcomes.isDone());
        worker.interrupt();

        assertThat(outcomes.get(5, TimeUnit.SECONDS)).hasSize(3).containsOnly("unavailable");
        assertThat(interruptKept).isTrue();
        worker.join();
    }

    @Test
    void aKilledBrokerUnderLoadLosesNothingAndDuplicatesOnlyWhatWasInFlight() {
        String exchange = rabbit.newTarget();
        RecordingListener listener = new RecordingListener(track(rabbit.sender(exchange, Duration.ofSeconds(30))));

        Load load = deliverWhileTheBrokerIsKilled(listener, Duration.ofSeconds(1));

        List<String> arrived = rabbit.eventIds(exchange);
        assertThat(listener.unsuccessful()).as("the outage was noticed").isNotEmpty();
        assertNoAttempts(load.backend());
        assertThat(arrived).containsAll(load.written());
        Set<String> once = new HashSet<>();
        assertThat(arrived)
                .filteredOn(id -> !once.add(id))
                .as("arrived twice")
                .isSubsetOf(listener.unsuccessfulBefore(load.killedAt()));
    }

    @Nested
    class Order extends BrokerOrderContract {

        @Override
        protected BrokerUnderTest broker() {
            return rabbit;
        }
    }
}
