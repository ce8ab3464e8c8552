package io.outbox.kafka;

import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.OptionalDouble;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;

/** What is known about a broker that does not answer: the producer keeps what it meets on the way to its log. */
final class Silence {

    private static final String CONNECTIONS = "connection-count";
    private static final String METADATA_AGE = "metadata-age";

    private Silence() {}

    /**
     * Returns the reason to report.
     *
     * @param producer {@code null} if there is none yet
     * @param waiting how many events wait
     */
    static RouteUnavailableException of(Producer<?, ?> producer, int waiting, Duration patience) {
        return new RouteUnavailableException("Kafka has not answered for " + patience.toSeconds() + " s, and " + waiting
                + " events wait: " + (producer == null ? "its address is being looked up" : connections(producer)));
    }

    private static String connections(Producer<?, ?> producer) {
        OptionalDouble open = metric(producer, CONNECTIONS);
        if (open.isEmpty()) {
            return "the producer still tries";
        }
        return open.getAsDouble() == 0 ? "no broker can be connected to" : "connected, but nothing is acknowledged";
    }

    /** Returns whether a broker told the producer about topics lately. */
    static boolean isMetadataFresh(Producer<?, ?> producer, Duration patience) {
        return producer != null && metadataAge(producer) < patience.toSeconds();
    }

    /** Returns how many seconds ago a broker told the producer about topics. */
    static double metadataAge(Producer<?, ?> producer) {
        return metric(producer, METADATA_AGE).orElse(Double.MAX_VALUE);
    }

    private static OptionalDouble metric(Producer<?, ?> producer, String name) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name))
                .map(Metric::metricValue)
                .filter(Double.class::isInstance)
                .mapToDouble(Double.class::cast)
                .findFirst();
    }
}
