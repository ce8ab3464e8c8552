package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.KeyHead;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.broker.BrokerFaultContract;
import io.outbox.testservers.broker.BrokerOrderContract;
import io.outbox.testservers.broker.BrokerUnderTest;
import io.outbox.testservers.broker.Outcomes;
import io.outbox.testservers.broker.RecordingListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class KafkaFaultTest extends BrokerFaultContract {

    /**
     * One record per request and one request at a time; a record stays in the producer beyond the emergency timeout.
     */
    private static final Map<String, Object> ONE_BY_ONE =
            Map.of("batch.size", "1", "max.in.flight.requests.per.connection", "1", "delivery.timeout.ms", "40000");

    private static KafkaUnderTest kafka;

    @BeforeAll
    static void start() {
        kafka = KafkaUnderTest.of(KafkaServer.start());
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Override
    protected BrokerUnderTest broker() {
        return kafka;
    }

    @Override
    protected BatchEventListener patientSender(String target, Duration emergencyTimeout) {
        return track(kafka.sender(target, emergencyTimeout, Map.of("delivery.timeout.ms", "40000")));
    }

    @Override
    protected BatchEventListener deadLetterSender(String target, Duration emergencyTimeout) {
        return KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", kafka.server().bootstrapServers()))
                .topic("never")
                .deadLetters(target)
                .emergencyTimeout(emergencyTimeout)
                .build();
    }

    @Override
    protected Duration timeToClose() {
        return Duration.ofSeconds(10);
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
        String topic = kafka.newTarget();
        KafkaEventPublisher publisher = track(kafka.sender(topic, Duration.ofSeconds(6)));
        publisher.onEvents(events(1));

        kafka.server().pause();
        List<BatchOutcome> outcomes = publisher.onEvents(events(20));
        kafka.server().resume();

        assertThat(words(outcomes)).hasSize(20).containsOnly("unavailable");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
    }

    @Test
    void theEmergencyTimeoutFailsOnlyWhatWasNotAcknowledged() {
        String topic = kafka.newTarget();
        KafkaEventPublisher publisher = track(kafka.sender(topic, Duration.ofSeconds(3), ONE_BY_ONE));
        publisher.onEvents(events(1));

        kafka.proxy().delay(Duration.ofMillis(50));
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
                .contains("3s");
    }

    @Test
    void anInterruptEndsABatchUnderWayAndKeepsWhatWasAcknowledged() throws Exception {
        String topic = kafka.newTarget();
        KafkaEventPublisher publisher = track(kafka.sender(topic, Duration.ofSeconds(60), ONE_BY_ONE));
        publisher.onEvents(events(1));
        CompletableFuture<List<String>> outcomes = new CompletableFuture<>();
        AtomicBoolean interruptKept = new AtomicBoolean();
        Thread worker = new Thread(() -> {
            List<BatchOutcome> result = publisher.onEvents(events(30));
            interruptKept.set(Thread.currentThread().isInterrupted());
            outcomes.complete(words(result));
        });

        kafka.proxy().delay(Duration.ofMillis(50));
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
        String topic = kafka.topics().create(3, Map.of());
        RecordingListener listener = new RecordingListener(track(kafka.sender(topic, Duration.ofSeconds(60))));

        Load load = deliverWhileTheBrokerIsKilled(listener, Duration.ofSeconds(1));

        List<String> arrived = kafka.eventIds(topic);
        assertThat(listener.unsuccessful()).isEmpty();
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(load.written());
    }

    @Test
    void aKilledBrokerWithShortTimeoutsLosesNothingAndDuplicatesOnlyWhatWasInFlight() {
        String topic = kafka.topics().create(3, Map.of());
        RecordingListener listener = new RecordingListener(track(kafka.sender(topic, Duration.ofMillis(1500))));

        Load load = deliverWhileTheBrokerIsKilled(listener, Duration.ofSeconds(3));

        List<String> arrived = kafka.eventIds(topic);
        assertThat(listener.unsuccessful()).as("the outage was noticed").isNotEmpty();
        assertThat(arrived).containsAll(load.written());
        Set<String> once = new HashSet<>();
        assertThat(arrived).filteredOn(id -> !once.add(id)).as("arrived twice").isSubsetOf(listener.unsuccessful());
    }

    /** Events that were put off until the broker has told of their topic would be overtaken by the next batch. */
    @Test
    void aTopicThatFollowsAnotherKeepsItsOrderThoughTheBrokerIsFarAway() {
        String first = kafka.newTarget();
        String second = kafka.newTarget();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        BatchEventListener sender = track(KafkaEventPublisher.builder()
                .producerConfig(Map.of("bootstrap.servers", kafka.server().bootstrapServers()))
                .topic(event -> event.payloadJson().equals("1") ? first : second)
                .build());
        kafka.proxy().distance(Duration.ofMillis(20));
        List<String> written = new ArrayList<>();
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(Outcomes.TYPE, sender))
                .lane(Outcomes.TYPE, LanePolicy.builder().build())
                .build()) {
            backend.inTransaction(() -> outbox.writer().write(event("1")));
            await().atMost(Duration.ofSeconds(60)).until(() -> done(backend) == 1);
            for (int i = 0; i < 50; i++) {
                backend.inTransaction(() -> {
                    outbox.writer().write(event("1"));
                    for (int k = 0; k < 10; k++) {
                        written.add(outbox.writer().write(event("2")));
                    }
                });
            }
            awaitDone(backend);
        }
        assertThat(kafka.eventIds(second)).isEqualTo(written);
    }

    @Nested
    class Order extends BrokerOrderContract {

        @Override
        protected BrokerUnderTest broker() {
            return kafka;
        }

        @Override
        protected String newTargetForKeys() {
            return kafka.topics().create(3, Map.of());
        }

        @Test
        void theKeyOfARecordIsTheKeyOfTheOrder() {
            String topic = newTargetForKeys();
            InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
            Outbox outbox = track(Outbox.singleNode()
                    .backend(backend)
                    .listenerRegistry(new DefaultListenerRegistry()
                            .register("Order", Outcomes.TYPE, track(kafka.sender(topic, Duration.ofSeconds(30)))))
                    .ordering(Ordering.byKey())
                    .startManually()
                    .build());
            backend.inTransaction(() -> {
                outbox.writer().write(order().aggregateId("order-1").build());
                outbox.writer()
                        .write(order().aggregateId("order-2").key("customer-7").build());
            });
            List<KeyHead> heads = backend.keyHeads("", 10);

            assertThat(heads).extracting(KeyHead::key).containsExactly("Order/customer-7#", "Order/order-1#");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                outbox.deliverDue(); // the first time the client may not know the new topic yet
                assertThat(kafka.topics().read(topic))
                        .extracting(record -> new String(record.key(), StandardCharsets.UTF_8))
                        .containsExactlyInAnyOrder("customer-7", "order-1");
            });
        }

        private static EventEnvelope.Builder order() {
            return EventEnvelope.builder(Outcomes.TYPE).aggregateType("Order").payloadJson("{}");
        }
    }
}
