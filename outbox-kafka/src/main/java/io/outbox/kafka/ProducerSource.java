package io.outbox.kafka;

import io.outbox.RouteUnavailableException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The producer of a publisher. If the names of the brokers cannot be resolved at first, as those of a cluster that is
 * down, it is made when they can.
 *
 * <p>A producer that the brokers did not accept for its identity, or that may not write to the cluster at all, never
 * sends again, whatever changes there. It still notices that it is let in; then another one takes its place.
 * Thread-safe.
 */
final class ProducerSource implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ProducerSource.class.getName());
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
    /** For what is under way to topics that take it. */
    private static final Duration CUT_OFF = Duration.ofMillis(500);
    /** Workers that come one after another do not each wait for the name server. */
    private static final Duration PAUSE = Duration.ofMillis(200);
    /** A producer that takes the place of another one is not a cure for everything, and each says a lot in the log. */
    private static final Duration BETWEEN_REPLACEMENTS = Duration.ofSeconds(5);

    /** Makes producers; none if the producer is not ours. */
    private volatile @Nullable Supplier<Producer<byte[], byte[]>> factory;
    /** Makes producers with small requests; none if it does so already, or the producer is not ours. */
    private @Nullable Supplier<Producer<byte[], byte[]>> smallFactory;

    private final Duration pause;
    private volatile @Nullable Producer<byte[], byte[]> producer;
    private volatile boolean closed;
    private @Nullable RouteUnavailableException lastFailure;
    private long failedAt;
    /** A topic of which a producer of our own could be refused, if one was. */
    private volatile @Nullable String refusedTopic;

    private long replacedAt = System.nanoTime() - BETWEEN_REPLACEMENTS.toNanos();

    private ProducerSource(
            @Nullable Supplier<Producer<byte[], byte[]>> factory,
            Duration pause,
            @Nullable Producer<byte[], byte[]> producer) {
        this.factory = factory;
        this.pause = pause;
        this.producer = producer;
    }

    /** Returns a source of a producer that somebody else closes. */
    static ProducerSource of(Producer<byte[], byte[]> producer) {
        return new ProducerSource(null, Duration.ZERO, producer);
    }

    /**
     * Makes a producer and owns it.
     *
     * @param factory makes the producer; what it throws is thrown, except that no name can be resolved
     * @param check throws what is wrong with the configuration besides that
     */
    static ProducerSource make(Supplier<Producer<byte[], byte[]>> factory, Runnable check) {
        return make(factory, check, PAUSE);
    }

    /** With what makes a producer that sends small requests. */
    static ProducerSource make(
            Supplier<Producer<byte[], byte[]>> factory, Supplier<Producer<byte[], byte[]>> small, Runnable check) {
        ProducerSource source = make(factory, check);
        source.smallFactory = small;
        return source;
    }

    /** With the least time between two attempts to make the producer. */
    static ProducerSource make(Supplier<Producer<byte[], byte[]>> factory, Runnable check, Duration pause) {
        ProducerSource source = new ProducerSource(factory, pause, null);
        try {
            source.producer = factory.get();
        } catch (KafkaException e) {
            if (!isUnresolvable(e)) {
                throw e;
            }
            check.run();
            LOG.log(Level.WARNING, "Kafka cannot be found yet, and is looked for with each batch: {0}", reason(e));
        }
        return source;
    }

    /** Kafka has no exception of its own for this. */
    private static boolean isUnresolvable(KafkaException error) {
        return error.getCause() instanceof ConfigException
                && (reason(error).startsWith("No resolvable bootstrap urls")
                        || reason(error).startsWith("Unknown host in bootstrap.servers"));
    }

    private static String reason(KafkaException error) {
        return String.valueOf(
                error.getCause() == null ? error.getMessage() : error.getCause().getMessage());
    }

    /**
     * Returns the producer.
     *
     * @throws RouteUnavailableException if there is none yet
     */
    Producer<byte[], byte[]> get() {
        Producer<byte[], byte[]> current = producer;
        if (current != null && refusedTopic != null) {
            replace(current, refusedTopic);
            current = producer;
        }
        return current == null ? create() : current;
    }

    /** Notes that the producer was refused for its identity, not for what it sends. */
    void refused(Producer<byte[], byte[]> refused, String topic) {
        if (factory != null && refused == producer) {
            refusedTopic = topic;
        }
    }

    /** Ends a producer that was refused, once it is let in. */
    private void replace(Producer<byte[], byte[]> refused, String topic) {
        try {
            refused.partitionsFor(topic);
        } catch (KafkaException | IllegalStateException e) {
            if (!isAboutTheTopic(e)) {
                throw SendFailures.unavailable(e);
            }
        }
        synchronized (this) {
            if (refused != producer) {
                return;
            }
            if (System.nanoTime() - replacedAt < BETWEEN_REPLACEMENTS.toNanos()) {
                throw new RouteUnavailableException("Kafka did not accept the producer, which is tried again soon");
            }
            replacedAt = System.nanoTime();
            refusedTopic = null;
            producer = null;
        }
        refused.close(Duration.ZERO);
    }

    /**
     * Takes a producer out of use whose requests are too large for a topic however often it splits them, for one with
     * small requests. What it has not sent fails as cut off, and is sent again.
     *
     * @return false if there is none
     */
    boolean useSmallRequests(Producer<byte[], byte[]> splitting) {
        synchronized (this) {
            if (closed || smallFactory == null || splitting != producer) {
                return false;
            }
            factory = smallFactory;
            smallFactory = null;
            producer = null;
        }
        LOG.log(
                Level.WARNING,
                "Kafka refuses requests as too large for a topic, and the producer cannot split them. From now on it"
                        + " sends small requests, which is slower: set batch.size below the topic''s max.message.bytes");
        splitting.close(CUT_OFF);
        return true;
    }

    /** Returns whether another producer has taken the place of this one. */
    boolean isReplaced(Producer<byte[], byte[]> former) {
        return factory != null && !closed && producer != former;
    }

    /** Returns whether the broker has answered, so that it lets the producer in, if not to this topic. */
    private static boolean isAboutTheTopic(RuntimeException answer) {
        return answer instanceof TopicAuthorizationException
                || answer instanceof InvalidTopicException
                || answer.getCause() instanceof UnknownTopicOrPartitionException;
    }

    /** Returns the producer, if there is one yet. */
    @Nullable
    Producer<byte[], byte[]> current() {
        return producer;
    }

    private synchronized Producer<byte[], byte[]> create() {
        if (producer != null) {
            return producer;
        }
        if (closed) {
            throw new RouteUnavailableException("the publisher is closed");
        }
        if (lastFailure != null && System.nanoTime() - failedAt < pause.toNanos()) {
            throw lastFailure;
        }
        try {
            producer = Objects.requireNonNull(factory, "factory").get();
        } catch (KafkaException e) {
            lastFailure = new RouteUnavailableException("Kafka cannot be found: " + reason(e), e);
            failedAt = System.nanoTime();
            throw lastFailure;
        }
        if (closed) {
            producer.close(Duration.ZERO);
        }
        return producer;
    }

    /** Sends at once what the producer has, if there is one. */
    void flush() {
        Producer<byte[], byte[]> current = producer;
        if (current != null) {
            current.flush();
        }
    }

    /** Closes an own producer, with a few seconds for what is under way; does not wait for one that is being made. */
    @Override
    public void close() {
        closed = true;
        Producer<byte[], byte[]> current = producer;
        boolean owned = factory != null;
        if (owned && current != null) {
            current.close(CLOSE_TIMEOUT);
        }
    }
}
