package io.outbox.kafka;

import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.OptionalDouble;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a broker that does not answer a call: the producer keeps what it meets on the way to its log.
 *
 * <p>The number of connections that a producer has does not tell whether a broker can be reached, since an attempt to
 * connect is one of them. What happened since the call began does: without a broker, connections and attempts end, and
 * none is made.
 */
final class Silence {

    private static final String OPEN = "connection-count";
    private static final String MADE = "connection-creation-total";
    private static final String ENDED = "connection-close-total";
    private static final String METADATA_AGE = "metadata-age";
    private static final String SPLITS = "batch-split-total";
    /** A request that is too large is split a few times; one that stays too large is split all the time. */
    private static final int MANY_SPLITS = 20;

    private final double madeBefore;
    private final double endedBefore;
    private final double splitsBefore;

    private Silence(double madeBefore, double endedBefore, double splitsBefore) {
        this.madeBefore = madeBefore;
        this.endedBefore = endedBefore;
        this.splitsBefore = splitsBefore;
    }

    /**
     * Notes how things are when a call begins.
     *
     * @param producer the producer, if there is one yet
     */
    static Silence beginningWith(@Nullable Producer<?, ?> producer) {
        return producer == null
                ? new Silence(0, 0, 0)
                : new Silence(
                        metric(producer, MADE).orElse(0),
                        metric(producer, ENDED).orElse(0),
                        metric(producer, SPLITS).orElse(0));
    }

    /** Returns whether the broker answers all the time that requests are too large, though the producer splits them. */
    boolean isOfRequestsTooLarge(@Nullable Producer<?, ?> producer) {
        return producer != null && metric(producer, SPLITS).orElse(0) - splitsBefore > MANY_SPLITS;
    }

    /**
     * Returns the reason to report.
     *
     * @param producer the producer, if there is one yet
     * @param waiting how many events wait
     */
    RouteUnavailableException reason(@Nullable Producer<?, ?> producer, int waiting, Duration patience) {
        return new RouteUnavailableException("Kafka has not answered for " + patience.toSeconds() + " s, and " + waiting
                + " events wait: " + (producer == null ? "its address is being looked up" : connections(producer)));
    }

    private String connections(Producer<?, ?> producer) {
        if (isOfRequestsTooLarge(producer)) {
            return "it refuses requests as too large; set batch.size below the topic's max.message.bytes";
        }
        OptionalDouble open = metric(producer, OPEN);
        if (open.isEmpty()) {
            return "the producer still tries";
        }
        double made = metric(producer, MADE).orElse(Double.MAX_VALUE);
        double ended = metric(producer, ENDED).orElse(endedBefore);
        boolean isAway = open.getAsDouble() == 0 || made == 0 || (ended > endedBefore && made == madeBefore);
        return isAway ? "no broker can be connected to" : "connected, but nothing is acknowledged";
    }

    /** Returns whether a broker told the producer about topics lately. */
    static boolean isMetadataFresh(@Nullable Producer<?, ?> producer, Duration patience) {
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
