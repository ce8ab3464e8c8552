package io.outbox.kafka;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.DeadEventSender;
import io.outbox.sender.SenderBuilder;
import io.outbox.sender.SilenceWatch;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A listener that sends events to Kafka topics and is done with an event when the broker has acknowledged it.
 *
 * <p>The record's key is the {@linkplain EventEnvelope#key() event's}, usually the aggregate id, in UTF-8, so that
 * events of one aggregate share a partition; without an aggregate id there is no key. The value is the payload byte for
 * byte; a {@linkplain EventEnvelope#isTombstone() tombstone} has none. The headers are those of {@link OutboxHeaders}
 * and the event's own, in UTF-8. Topic, key, partition, time and further headers may be functions of the event, and a
 * {@link KafkaRecordCustomizer} has the last word.
 *
 * <p>A batch is handed to the producer as a whole, also while others are not acknowledged yet, and each event gets an
 * outcome of its own:
 *
 * <ul>
 *   <li>acknowledged: done;
 *   <li>refused for what it is (too large, invalid topic): dead, with the reason;
 *   <li>refused only because of other events in the same request: sent again without those;
 *   <li>the broker cannot be reached, the producer is closed, or there was no answer within the emergency timeout: failed
 *       with {@link RouteUnavailableException};
 *   <li>anything else, such as a topic that may not be written to: failed with {@link RecoverableException}.
 * </ul>
 *
 * <p>Events to a topic that has not taken any yet are sent after the others of their batch, and not before the broker
 * has told of the topic: if it tells of others only, they are left for later, uncounted. A topic that the broker does
 * not have after three seconds is missing: its events fail with {@link RecoverableException}, and are not waited for.
 *
 * <p>A broker that has not answered for three seconds is reported as {@linkplain BatchEventListener.Waiting silent},
 * while the producer goes on trying to reach it: it alone knows when a record will not be sent any more, and an event
 * that were given back before would arrive twice.
 *
 * <p>Delivery is at least once: a record whose acknowledgement was lost is sent again. Thread-safe; several workers
 * share the producer.
 */
public final class KafkaEventPublisher implements BatchEventListener.Pipelined, AutoCloseable {

    /** How long the acknowledgements of a batch are awaited, if nothing else is set. */
    public static final Duration DEFAULT_EMERGENCY_TIMEOUT = SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT;

    private static final System.Logger LOG = System.getLogger(KafkaEventPublisher.class.getName());
    /** How long a broker may leave events unanswered before it is reported. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /** An address without a broker, which needs no resolution. */
    private static final String NOWHERE = "127.0.0.1:1";

    private final ProducerSource producers;
    private final Flusher flusher;
    private final ReachedTopics reached = new ReachedTopics();
    private final TopicLookups lookups = new TopicLookups();
    private final SilenceWatch watch = new SilenceWatch("outbox-kafka-watch-", PATIENCE);
    private final Records records;
    private final @Nullable EventFallback deadLetters;
    private final int batchSize;
    private final Duration emergencyTimeout;

    private KafkaEventPublisher(Builder builder, Records records, int batchSize, Duration emergencyTimeout) {
        this.records = records;
        this.batchSize = batchSize;
        this.emergencyTimeout = emergencyTimeout;
        this.producers = builder.producers(emergencyTimeout);
        this.flusher = new Flusher(producers::flush);
        this.deadLetters = builder.fallback(this::sendAlone);
    }

    private static ProducerSource producers(
            Map<String, Object> given, Function<Producer<?, ?>, AutoCloseable> meters, Duration emergencyTimeout) {
        ProducerSettings settings = new ProducerSettings(given, emergencyTimeout);
        settings.weaknesses().forEach(weakness -> LOG.log(Level.WARNING, "Kafka producer: {0}", weakness));
        Map<String, Object> config = settings.effective();
        Map<String, Object> small = settings.withSmallRequests();
        return ProducerSource.make(
                () -> new MeteredProducer(config, meters),
                () -> new MeteredProducer(small, meters),
                () -> checkBesidesServers(config));
    }

    /** Kafka looks at the servers before the settings for security; those are to fail at once as well. */
    private static void checkBesidesServers(Map<String, Object> config) {
        Map<String, Object> elsewhere = new HashMap<>(config);
        elsewhere.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, NOWHERE);
        new MeteredProducer(elsewhere, producer -> () -> {}).close(Duration.ZERO);
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
        return onEvents(events, List.of(), reason -> {});
    }

    /**
     * Sends the events and returns their outcomes; never throws for a reason that lies in broker or network.
     *
     * @param infos not used
     * @param silence is told when the broker has not answered for three seconds; the events stay with the producer, and
     *     what is acknowledged afterwards is done
     */
    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
        return begun(events, records::of, silence).outcomes();
    }

    /** Hands the events to the producer; never throws for a reason that lies in broker or network. */
    @Override
    public Pending begin(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
        return begun(events, records::of, silence);
    }

    /** Returns what sends dead letters, if any are sent. */
    @Override
    public @Nullable EventFallback fallback() {
        return deadLetters;
    }

    private BatchOutcome sendAlone(EventEnvelope event, OutboxRoute route) {
        return begun(List.of(event), sent -> records.of(sent, route), reason -> {})
                .outcomes()
                .get(0);
    }

    private PendingBatch begun(
            List<EventEnvelope> events,
            Function<EventEnvelope, ProducerRecord<byte[], byte[]>> toRecord,
            Consumer<RouteUnavailableException> silence) {
        Acknowledgements acknowledgements = new Acknowledgements(events.size(), emergencyTimeout);
        BatchSend batch =
                new BatchSend(events, toRecord, acknowledgements, producers, reached, lookups, flusher::request);
        Silence begun = Silence.beginningWith(producers.current());
        SilenceWatch.Call call = watch.begin(() -> report(begun, batch, acknowledgements, silence));
        acknowledgements.whenAnswered(call::answered);
        PendingBatch pending = new PendingBatch(batch, acknowledgements, call, emergencyTimeout);
        pending.begin();
        return pending;
    }

    /**
     * Reports that the broker does not answer, unless it does and only the topic is missing; returns whether it did.
     */
    private boolean report(
            Silence begun,
            BatchSend batch,
            Acknowledgements acknowledgements,
            Consumer<RouteUnavailableException> silence) {
        Producer<byte[], byte[]> producer = producers.current();
        int waiting = acknowledgements.open();
        if (waiting == 0 || (!batch.isOwedAnAnswer() && Silence.isMetadataFresh(producer, PATIENCE))) {
            return false;
        }
        if (producer != null && begun.isOfRequestsTooLarge(producer) && producers.useSmallRequests(producer)) {
            return false;
        }
        silence.accept(begun.reason(producer, waiting, PATIENCE));
        return true;
    }

    /**
     * Ends the publisher. A producer of its own is closed, with a few seconds for what is under way; one that was given
     * stays open. Batches under way end with {@link RouteUnavailableException} for what was not acknowledged.
     */
    @Override
    public void close() {
        watch.close();
        flusher.close();
        lookups.close();
        producers.close();
    }

    /** Builds a {@link KafkaEventPublisher}. Not thread-safe. */
    public static final class Builder extends SenderBuilder<Builder, KafkaRecordCustomizer> {

        private @Nullable Producer<byte[], byte[]> producer;
        private @Nullable Map<String, Object> producerConfig;
        private Function<Producer<?, ?>, AutoCloseable> producerMeters = producer -> () -> {};
        private boolean hasTopic;

        private Builder() {}

        @Override
        protected Builder self() {
            return this;
        }

        private @Nullable EventFallback fallback(DeadEventSender.Way way) {
            return deadLetters(way);
        }

        /**
         * Makes a producer from this configuration, that of a Kafka client. Its serializers are not used: keys and
         * values are bytes. Settings that weaken the guarantee are warned about. Timeouts that are not set follow from
         * the emergency timeout. Excludes {@link #producer}; one of the two is required.
         *
         * @throws IllegalArgumentException if it has a transactional id: an event is done by itself, not in a
         * transaction
         */
        public Builder producerConfig(Map<String, ?> producerConfig) {
            ProducerSettings.requireNotTransactional(Objects.requireNonNull(producerConfig, "producerConfig"));
            this.producerConfig = new HashMap<>(producerConfig);
            return this;
        }

        /**
         * Adds meters to each producer that the publisher makes from {@link #producerConfig}; what the function returns
         * is closed with the producer. It is called again when a producer has to be made anew. Default: none.
         */
        public Builder producerMeters(Function<Producer<?, ?>, AutoCloseable> producerMeters) {
            this.producerMeters = Objects.requireNonNull(producerMeters, "producerMeters");
            return this;
        }

        /**
         * Uses a producer that the caller configures and closes, not transactional. For no loss and no duplicates it
         * needs {@code acks=all}, idempotence, and a {@code delivery.timeout.ms} below the emergency timeout. Excludes
         * {@link #producerConfig}; one of the two is required.
         */
        public Builder producer(Producer<byte[], byte[]> producer) {
            this.producer = Objects.requireNonNull(producer, "producer");
            return this;
        }

        /** Sends all events to this topic. This, {@link #topic(Function)} or {@link #router} is required. */
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
            Objects.requireNonNull(topic, "topic");
            hasTopic = true;
            return part(event -> OutboxRoute.to(topic.apply(event)));
        }

        /**
         * Gives each record the key that this function computes; the empty text is no key, and {@code null} is the
         * default: the {@linkplain EventEnvelope#key() event's}, usually the aggregate id. It is called as {@link
         * #topic(Function)} is.
         */
        public Builder key(Function<EventEnvelope, @Nullable String> key) {
            Objects.requireNonNull(key, "key");
            return part(event -> OutboxRoute.builder().key(key.apply(event)).build());
        }

        /**
         * Sends each event to the partition that this function names; {@code null} is the default: the producer
         * chooses, by the key if there is one. An event for a partition that the topic does not have has failed. It is
         * called as {@link #topic(Function)} is.
         */
        public Builder partition(Function<EventEnvelope, @Nullable Integer> partition) {
            Objects.requireNonNull(partition, "partition");
            return part(event ->
                    OutboxRoute.builder().partition(partition.apply(event)).build());
        }

        /**
         * Builds the publisher. It connects when the first event is sent. If no name in {@code bootstrap.servers} can
         * be resolved, which may pass, batches end with {@link RouteUnavailableException} until one can.
         *
         * @throws org.apache.kafka.common.KafkaException if the configuration is wrong
         */
        public KafkaEventPublisher build() {
            if (!hasTopic && !hasRouter()) {
                throw new NullPointerException("topic is required (or router)");
            }
            if (producer != null && producerConfig != null) {
                throw new IllegalStateException("producer and producerConfig are both set; set one of them");
            }
            Records records = new Records(routes(), messageHeaders(Records.CLOUD_EVENT), customizers());
            return new KafkaEventPublisher(this, records, batchSize(), emergencyTimeout());
        }

        private ProducerSource producers(Duration emergencyTimeout) {
            if (producer != null) {
                return ProducerSource.of(producer);
            }
            Objects.requireNonNull(producerConfig, "producerConfig is required (or producer)");
            return KafkaEventPublisher.producers(producerConfig, producerMeters, emergencyTimeout);
        }
    }
}
