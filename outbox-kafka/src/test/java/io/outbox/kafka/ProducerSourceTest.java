package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Brokers whose names cannot be resolved. Nothing here needs a broker. */
@Timeout(240)
class ProducerSourceTest {

    private static final String UNRESOLVABLE = "no-such-host.invalid:9092";

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @AfterEach
    void expectNoThreads() {
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("outbox-kafka") || name.startsWith("kafka-producer")));
    }

    private static KafkaEventPublisher publisher(Map<String, Object> config) {
        return KafkaEventPublisher.builder()
                .producerConfig(config)
                .topic("t")
                .emergencyTimeout(Duration.ofSeconds(4))
                .build();
    }

    @Test
    void aNameThatCannotBeResolvedIsAnOutage() {
        KafkaEventPublisher publisher = publisher(Map.of("bootstrap.servers", UNRESOLVABLE));
        try (publisher) {
            List<BatchOutcome> outcomes = publisher.onEvents(events(3));

            assertThat(words(outcomes)).containsExactly("unavailable", "unavailable", "unavailable");
            assertThat(reason(outcomes.get(0))).contains("Kafka cannot be found", "bootstrap.servers");
        }
        assertThat(words(publisher.onEvents(events(1)))).containsExactly("unavailable");
    }

    @Test
    void soItIsWhenNamesAreReplacedByCanonicalOnes() {
        try (KafkaEventPublisher publisher = publisher(Map.of(
                "bootstrap.servers", UNRESOLVABLE, "client.dns.lookup", "resolve_canonical_bootstrap_servers_only"))) {
            assertThat(words(publisher.onEvents(events(1)))).containsExactly("unavailable");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "bootstrap.servers,no address",
        "bootstrap.servers,no-such-host.invalid:99999",
        "acks,some",
        "security.protocol,pigeon",
        "ssl.truststore.location,/no/such/file",
    })
    void aWrongConfigurationFailsAtOnce(String key, String value) {
        Map<String, Object> config =
                new HashMap<>(Map.of("bootstrap.servers", UNRESOLVABLE, "security.protocol", "SSL"));
        config.put(key, value);

        assertThatThrownBy(() -> publisher(config)).isInstanceOf(KafkaException.class);
    }

    @Test
    void theProducerIsMadeOnceTheNameCanBeResolved() {
        AtomicInteger calls = new AtomicInteger();
        ProducerSource source = source(() -> {
            if (calls.incrementAndGet() < 3) {
                throw unresolvable();
            }
            return producer;
        });

        assertThatThrownBy(source::get).isInstanceOf(RouteUnavailableException.class);
        assertThat(source.get()).isSameAs(producer);
        assertThat(source.get()).isSameAs(producer);
        assertThat(calls).hasValue(3);

        source.close();
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void batchesThatComeTooSoonDoNotWaitForTheNameServer() {
        AtomicInteger calls = new AtomicInteger();
        ProducerSource source = ProducerSource.make(
                () -> {
                    calls.incrementAndGet();
                    throw unresolvable();
                },
                () -> {},
                Duration.ofHours(1));

        assertThatThrownBy(source::get).isInstanceOf(RouteUnavailableException.class);
        assertThatThrownBy(source::get).isInstanceOf(RouteUnavailableException.class);

        assertThat(calls).as("at the start, and with the first batch").hasValue(2);
    }

    @Test
    void aProducerThatIsMadeWhileTheSourceClosesIsClosed() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch making = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        ProducerSource source = source(() -> {
            if (calls.incrementAndGet() == 1) {
                throw unresolvable();
            }
            making.countDown();
            awaitLatch(closed);
            return producer;
        });
        CompletableFuture<Void> worker = CompletableFuture.runAsync(source::get);
        awaitLatch(making);

        source.close();
        closed.countDown();

        worker.get(10, TimeUnit.SECONDS);
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void noProducerIsMadeAfterTheEnd() {
        AtomicInteger calls = new AtomicInteger();
        ProducerSource source = source(() -> {
            calls.incrementAndGet();
            throw unresolvable();
        });

        source.close();

        assertThatThrownBy(source::get).isInstanceOf(RouteUnavailableException.class);
        assertThat(calls).hasValue(1);
    }

    @Test
    void aProducerThatWasGivenStaysOpen() {
        ProducerSource.of(producer).close();
        assertThat(producer.closed()).isFalse();
    }

    private static ProducerSource source(Supplier<Producer<byte[], byte[]>> factory) {
        return ProducerSource.make(factory, () -> {}, Duration.ZERO);
    }

    private static KafkaException unresolvable() {
        return new KafkaException(
                "Failed to construct kafka producer",
                new ConfigException("No resolvable bootstrap urls given in bootstrap.servers"));
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
