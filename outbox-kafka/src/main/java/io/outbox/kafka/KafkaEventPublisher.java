package io.outbox.kafka;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A listener that sends events to Kafka topics and is done with an event when the broker has acknowledged it.
 *
 * <p>The record's key is the aggregate id, in UTF-8, so that events of one aggregate share a partition; without an
 * aggregate id there is no key. The value is the payload byte for byte. The headers are those of {@link OutboxHeaders} and
 * the event's own, in UTF-8.
 *
 * <p>A batch is handed to the producer as a whole, then all acknowledgements are awaited, and each event gets an outcome
 * of its own:
 *
 * <ul>
 *   <li>acknowledged: done;
 *   <li>refused for what it is (too large, invalid topic): dead, with the reason;
 *   <li>the broker cannot be reached, the producer is closed, or no event of the batch was acknowledged within the
 *       emergency timeout: failed with {@link RouteUnavailableException};
 *   <li>anything else, such as a topic that does not exist or may not be written to, and events not acknowledged within
 *       the emergency timeout while others of the batch were: failed with {@link RecoverableException}.
 * </ul>
 *
 * <p>Delivery is at least once: a record whose acknowledgement was lost is sent again. Thread-safe; several workers share
 * the producer.
 */
public final class KafkaEventPublisher implements BatchEventListener, AutoCloseable {

    /** How long the acknowledgements of a batch are awaited, if nothing else is set. */
    public static final Duration DEFAULT_EMERGENCY_TIMEOUT = Duration.ofSeconds(120);

    private static final System.Logger LOG = System.getLogger(KafkaEventPublisher.class.getName());
    /** An address without a broker, which needs no resolution. */
    private static final String NOWHERE = "127.0.0.1:1";

    private final ProducerSource producers;
    private final Flusher flusher;
    private final Function<EventEnvelope, String> topic;
    private final int batchSize;
    private final Duration emergencyTimeout;

    private KafkaEventPublisher(Builder builder) {
        this.topic = builder.topic;
        this.batchSize = builder.batchSize;
        this.emergencyTimeout = builder.emergencyTimeout;
        this.producers = builder.producer == null
                ? producers(builder.producerConfig, emergencyTimeout)
                : ProducerSource.of(builder.producer);
        this.flusher = new Flusher(producers::flush);
    }

    private static ProducerSource producers(Map<String, Object> given, Duration emergencyTimeout) {
        ProducerSettings settings = new ProducerSettings(given, emergencyTimeout);
        settings.weaknesses().forEach(weakness -> LOG.log(Level.WARNING, "Kafka producer: {0}", weakness));
        Map<String, Object> config = settings.effective();
        return ProducerSource.make(() -> newProducer(config), () -> checkBesidesServers(config));
    }

    private static Producer<byte[], byte[]> newProducer(Map<String, Object> config) {
        return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Kafka looks at the servers before the settings for security; those are to fail at once as well. */
    private static void checkBesidesServers(Map<String, Object> config) {
        Map<String, Object> elsewhere = new HashMap<>(config);
        elsewhere.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, NOWHERE);
        newProducer(elsewhere).close(Duration.ZERO);
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public int maxBatchSize() {
        return batchSize;
    }

    /** Sends the events and returns their outcomes; never throws for a reason that lies in broker or network. */
    @Override
    public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
        Acknowledgements acknowledgements = new Acknowledgements(events.size(), emergencyTimeout);
        boolean sent = false;
        try {
            send(producers.get(), events, acknowledgements);
            sent = true;
            flusher.request();
            acknowledgements.await();
        } catch (RouteUnavailableException e) {
            return acknowledgements.outcomes(e);
        } catch (InterruptedException | InterruptException e) {
            Thread.currentThread().interrupt();
            return acknowledgements.outcomes(new RouteUnavailableException(
                    "interrupted while " + (sent ? "waiting for acknowledgements" : "sending"), e));
        }
        return acknowledgements.outcomes(acknowledgements.silence(emergencyTimeout));
    }

    /**
     * Hands the events to the producer. Sending blocks while the producer lacks a topic's metadata or buffer space; what
     * one event waited for in vain, the ones behind it do not wait for again.
     */
    private void send(
            Producer<byte[], byte[]> producer, List<EventEnvelope> events, Acknowledgements acknowledgements) {
        Map<String, Throwable> unavailableTopics = new HashMap<>();
        for (int i = 0; i < events.size(); i++) {
            if (acknowledgements.isOverdue()) {
                acknowledgements.failFrom(
                        i,
                        new RouteUnavailableException(
                                "not sent: the producer was blocked for the emergency timeout of " + emergencyTimeout));
                return;
            }
            ProducerRecord<byte[], byte[]> outgoing;
            try {
                outgoing = toRecord(events.get(i));
            } catch (RuntimeException e) {
                acknowledgements.settle(i, BatchOutcome.failed(e));
                continue;
            }
            Throwable unavailable = unavailableTopics.get(outgoing.topic());
            if (unavailable == null) {
                unavailable = send(producer, i, outgoing, acknowledgements);
            } else {
                acknowledgements.settle(i, SendFailures.outcome(unavailable));
            }
            if (unavailable instanceof BufferExhaustedException) {
                acknowledgements.failFrom(i + 1, SendFailures.unavailable(unavailable));
                return;
            }
            if (unavailable != null) {
                unavailableTopics.put(outgoing.topic(), unavailable);
            }
        }
    }

    /** Sends one record; returns what the producer waited for in vain, or {@code null}. */
    private Throwable send(
            Producer<byte[], byte[]> producer,
            int index,
            ProducerRecord<byte[], byte[]> outgoing,
            Acknowledgements acknowledgements) {
        BlockedSend blocked = new BlockedSend();
        try {
            producer.send(outgoing, (metadata, error) -> {
                blocked.completed(error);
                acknowledgements.settle(index, error == null ? BatchOutcome.done() : SendFailures.outcome(error));
            });
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            acknowledgements.settle(index, SendFailures.outcome(e));
        }
        return blocked.returned();
    }

    /** Tells whether a record failed while it was still being handed over, in the calling thread. */
    private static final class BlockedSend {

        private final Thread sender = Thread.currentThread();
        private Throwable error;

        void completed(Exception failure) {
            if (failure instanceof TimeoutException && Thread.currentThread() == sender) {
                error = failure;
            }
        }

        Throwable returned() {
            return error;
        }
    }

    private ProducerRecord<byte[], byte[]> toRecord(EventEnvelope event) {
        String target = topic.apply(event);
        if (target == null || target.isBlank()) {
            throw new RecoverableException("no topic is configured for event type " + event.eventType());
        }
        byte[] key = event.aggregateId() == null ? null : utf8(event.aggregateId());
        ProducerRecord<byte[], byte[]> outgoing = new ProducerRecord<>(target, key, event.payloadBytes());
        Headers headers = outgoing.headers();
        OutboxHeaders.of(event).forEach((name, text) -> headers.add(name, utf8(text)));
        return outgoing;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Ends the publisher. A producer of its own is closed, with a few seconds for what is under way; one that was given
     * stays open. Batches under way end with {@link RouteUnavailableException} for what was not acknowledged.
     */
    @Override
    public void close() {
        flusher.close();
        producers.close();
    }

    /** Builds a {@link KafkaEventPublisher}. Not thread-safe. */
    public static final class Builder {

        private Producer<byte[], byte[]> producer;
        private Map<String, Object> producerConfig;
        private Function<EventEnvelope, String> topic;
        private int batchSize = DEFAULT_MAX_BATCH_SIZE;
        private Duration emergencyTimeout = DEFAULT_EMERGENCY_TIMEOUT;

        private Builder() {}

        /**
         * Makes a producer from this configuration, that of a Kafka client. Its serializers are not used: keys and values
         * are bytes. Settings that weaken the guarantee are warned about. What is not set is derived: timeouts from the
         * emergency timeout, and a {@code batch.size} that suits batches of events. Excludes {@link #producer}; one of the two is required.
         *
         * @throws IllegalArgumentException if it has a transactional id: an event is done by itself, not in a transaction
         */
        public Builder producerConfig(Map<String, ?> producerConfig) {
            ProducerSettings.requireNotTransactional(Objects.requireNonNull(producerConfig, "producerConfig"));
            this.producerConfig = new HashMap<>(producerConfig);
            return this;
        }

        /**
         * Uses a producer that the caller configures and closes, not transactional. For no loss and no duplicates it needs
         * {@code acks=all}, idempotence, and a {@code delivery.timeout.ms} below the emergency timeout. Excludes
         * {@link #producerConfig}; one of the two is required.
         */
        public Builder producer(Producer<byte[], byte[]> producer) {
            this.producer = Objects.requireNonNull(producer, "producer");
            return this;
        }

        /** Sends all events to this topic. This or {@link #topic(Function)} is required. */
        public Builder topic(String topic) {
            if (Objects.requireNonNull(topic, "topic").isBlank()) {
                throw new IllegalArgumentException("topic must not be blank");
            }
            return topic(event -> topic);
        }

        /**
         * Sends each event to the topic that this function names. It is called on worker threads; an event for which it
         * throws, or returns {@code null}, has failed, alone.
         */
        public Builder topic(Function<EventEnvelope, String> topic) {
            this.topic = Objects.requireNonNull(topic, "topic");
            return this;
        }

        /** The largest number of events sent at once. Default: {@value BatchEventListener#DEFAULT_MAX_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            if (batchSize < 1) {
                throw new IllegalArgumentException("batchSize must be at least 1: " + batchSize);
            }
            this.batchSize = batchSize;
            return this;
        }

        /** How long the acknowledgements of a batch are awaited. Default: 120 seconds. */
        public Builder emergencyTimeout(Duration emergencyTimeout) {
            Objects.requireNonNull(emergencyTimeout, "emergencyTimeout");
            if (emergencyTimeout.toMillis() < 1) {
                throw new IllegalArgumentException("emergencyTimeout must be at least 1 ms: " + emergencyTimeout);
            }
            this.emergencyTimeout = emergencyTimeout;
            return this;
        }

        /**
         * Builds the publisher. It connects when the first event is sent. If no name in {@code bootstrap.servers} can be
         * resolved, which may pass, batches end with {@link RouteUnavailableException} until one can.
         *
         * @throws org.apache.kafka.common.KafkaException if the configuration is wrong
         */
        public KafkaEventPublisher build() {
            Objects.requireNonNull(topic, "topic is required");
            if (producer == null) {
                Objects.requireNonNull(producerConfig, "producerConfig is required (or producer)");
            } else if (producerConfig != null) {
                throw new IllegalStateException("producer and producerConfig are both set; set one of them");
            }
            return new KafkaEventPublisher(this);
        }
    }
}
