package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** A producer that tries to connect is not connected. */
class SilenceTest {

    private static final String AWAY = "no broker can be connected to";
    private static final String CONNECTED = "connected, but nothing is acknowledged";

    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());

    @Test
    void anAttemptToConnectIsNoConnection() {
        connections(2, 2, 0);
        Silence begun = Silence.beginningWith(producer);

        connections(1, 2, 5);
        assertReason(begun, AWAY);
    }

    @Test
    void aFirstAttemptIsNoConnectionEither() {
        Silence begun = Silence.beginningWith(null);

        connections(1, 0, 0);
        assertReason(begun, AWAY);
    }

    @Test
    void aConnectionThatStaysIsOne() {
        connections(2, 3, 1);
        Silence begun = Silence.beginningWith(producer);

        assertReason(begun, CONNECTED);
    }

    @Test
    void aConnectionThatWasMadeAgainIsOne() {
        connections(2, 3, 1);
        Silence begun = Silence.beginningWith(producer);

        connections(2, 4, 2);
        assertReason(begun, CONNECTED);
    }

    @Test
    void withoutConnectionsThereIsNone() {
        connections(0, 3, 3);
        Silence begun = Silence.beginningWith(producer);

        assertReason(begun, AWAY);
    }

    @Test
    void aProducerThatDoesNotTellStillTries() {
        assertReason(Silence.beginningWith(producer), "the producer still tries");
    }

    private void assertReason(Silence begun, String expected) {
        assertThat(begun.reason(producer, 20, Duration.ofSeconds(3)))
                .hasMessage("Kafka has not answered for 3 s, and 20 events wait: " + expected);
    }

    private void connections(double open, double made, double ended) {
        set("connection-count", open);
        set("connection-creation-total", made);
        set("connection-close-total", ended);
    }

    private void set(String name, double value) {
        MetricName metricName = new MetricName(name, "producer-metrics", "", Map.of());
        producer.setMockMetrics(metricName, new Metric() {
            @Override
            public MetricName metricName() {
                return metricName;
            }

            @Override
            public Object metricValue() {
                return value;
            }
        });
    }
}
