package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerSettingsTest {

    @ParameterizedTest
    @CsvSource({
        "acks, 1, lose",
        "acks, 0, lose",
        "enable.idempotence, false, duplicate",
        "max.in.flight.requests.per.connection, 6, idempotence off",
        "retries, 0, idempotence off",
        "delivery.timeout.ms, 120001, returned to the store",
        "max.block.ms, 120001, holds a worker",
        "request.timeout.ms, 130000, returned to the store",
    })
    void aSettingThatWeakensTheGuaranteeIsNamed(String name, String value, String consequence) {
        List<String> weaknesses = settings(Map.of(name, value), 120_000).weaknesses();

        assertThat(weaknesses)
                .singleElement()
                .asString()
                .startsWith(name + "=" + value)
                .contains(consequence);
    }

    @ParameterizedTest
    @CsvSource({
        "acks, all",
        "acks, -1",
        "enable.idempotence, true",
        "max.in.flight.requests.per.connection, 5",
        "retries, 10",
        "delivery.timeout.ms, 120000",
        "max.block.ms, 120000",
        "linger.ms, 50",
    })
    void aHarmlessSettingIsNotWarnedAbout(String name, String value) {
        assertThat(settings(Map.of(name, value), 120_000).weaknesses()).isEmpty();
    }

    @Test
    void theSizeOfRequestsIsTheUsers() {
        assertThat(settings(Map.of(), 120_000).effective())
                .as("a client may split requests above a topic's limit for ever")
                .doesNotContainKey("batch.size");
        assertThat(settings(Map.of("batch.size", "1000"), 120_000).effective()).containsEntry("batch.size", "1000");
    }

    @Test
    void recordsWaitForOthersUnlessTheUserSaysOtherwise() {
        assertThat(settings(Map.of(), 120_000).effective()).containsEntry("linger.ms", 5L);
        assertThat(settings(Map.of("linger.ms", "0"), 120_000).effective()).containsEntry("linger.ms", "0");
    }

    @Test
    void aBrokerThatIsBackIsFoundSoonUnlessTheUserSaysOtherwise() {
        assertThat(settings(Map.of(), 120_000).effective())
                .containsEntry("reconnect.backoff.max.ms", 250L)
                .containsEntry("retry.backoff.max.ms", 250L)
                .containsEntry("socket.connection.setup.timeout.ms", 2_000L)
                .containsEntry("socket.connection.setup.timeout.max.ms", 2_000L);
        assertThat(settings(Map.of("retry.backoff.ms", "900", "socket.connection.setup.timeout.ms", "9000"), 120_000)
                        .effective())
                .containsEntry("retry.backoff.max.ms", 900L)
                .containsEntry("socket.connection.setup.timeout.ms", "9000")
                .containsEntry("socket.connection.setup.timeout.max.ms", 9_000L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 10, 100, 3_000, 30_000, 120_000, 600_000})
    void unsetTimeoutsStayBelowTheEmergencyTimeoutAndKafkaAcceptsThem(long emergencyMs) {
        Map<String, Object> effective = settings(Map.of(), emergencyMs).effective();

        effective.put("bootstrap.servers", "127.0.0.1:1");
        new KafkaProducer<>(effective, new ByteArraySerializer(), new ByteArraySerializer()).close(Duration.ZERO);
        if (emergencyMs >= 100) {
            assertThat(number(effective, "max.block.ms") + number(effective, "delivery.timeout.ms"))
                    .isLessThan(emergencyMs);
        }
    }

    @Test
    void whatTheUserSetStays() {
        Map<String, Object> effective = settings(
                        Map.of("delivery.timeout.ms", "40000", "max.block.ms", 5, "client.id", "mine"), 120_000)
                .effective();

        assertThat(effective)
                .containsEntry("delivery.timeout.ms", "40000")
                .containsEntry("max.block.ms", 5)
                .containsEntry("client.id", "mine")
                .doesNotContainKeys("request.timeout.ms", "acks");
    }

    @Test
    void aRequestTimeoutOfTheUserRaisesTheDeliveryTimeout() {
        assertThat(settings(Map.of("request.timeout.ms", "30000", "linger.ms", "10"), 30_000)
                        .effective())
                .containsEntry("delivery.timeout.ms", 30_010);
    }

    @Test
    void aValueThatIsNoNumberIsRefusedByName() {
        assertThatThrownBy(() -> settings(Map.of("retries", "many"), 1_000).weaknesses())
                .hasMessageContaining("retries")
                .hasMessageContaining("many");
    }

    @Test
    void buildingAPublisherLogsTheWeaknessesAsWarnings() {
        List<LogRecord> logged = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(KafkaEventPublisher.class.getName());
        logger.addHandler(handler);
        try {
            KafkaEventPublisher.builder()
                    .producerConfig(Map.of("bootstrap.servers", "127.0.0.1:1", "acks", "1"))
                    .topic("t")
                    .build()
                    .close();
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(logged).singleElement().satisfies(line -> {
            assertThat(line.getLevel()).isEqualTo(java.util.logging.Level.WARNING);
            assertThat(line.getParameters()[0].toString()).startsWith("acks=1");
        });
    }

    private static ProducerSettings settings(Map<String, Object> config, long emergencyMs) {
        return new ProducerSettings(config, Duration.ofMillis(emergencyMs));
    }

    private static long number(Map<String, Object> config, String name) {
        return ((Number) config.get(name)).longValue();
    }
}
