package io.outbox.samples.broker;

import io.outbox.OutboxHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Another application: it reads the orders with a plain Kafka consumer, on a thread of its own, and needs no outbox
 * library for that. Messages can come twice, so it processes each {@code outbox_event_id} once; an application keeps the
 * ids in its database, in the transaction of their processing. It would also subscribe as a consumer group; a single
 * reader of a single partition starts faster.
 */
final class Warehouse implements AutoCloseable {

    private static final Duration POLL_TIMEOUT = Duration.ofMillis(200);

    private final Screen screen;
    private final KafkaConsumer<String, String> consumer;
    private final Thread thread = new Thread(this::run, "warehouse");
    private final Set<String> processed = ConcurrentHashMap.newKeySet();
    private final AtomicInteger repeated = new AtomicInteger();
    private volatile boolean rewindRequested = true;
    private volatile boolean closed;

    private Warehouse(Screen screen, KafkaConsumer<String, String> consumer) {
        this.screen = screen;
        this.consumer = consumer;
    }

    static Warehouse open(Screen screen, String bootstrapServers, String topic) {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrapServers, "reconnect.backoff.max.ms", 500);
        Warehouse warehouse = new Warehouse(
                screen, new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer()));
        warehouse.consumer.assign(Set.of(new TopicPartition(topic, 0)));
        warehouse.thread.start();
        return warehouse;
    }

    private void run() {
        try (consumer) {
            while (!closed) {
                if (rewindRequested) {
                    rewindRequested = false;
                    consumer.seekToBeginning(consumer.assignment());
                }
                consumer.poll(POLL_TIMEOUT).forEach(this::receive);
            }
        } catch (WakeupException e) {
            // close() ends the wait for messages
        }
    }

    private void receive(ConsumerRecord<String, String> message) {
        String eventId = text(message.headers().lastHeader(OutboxHeaders.EVENT_ID.getValue()));
        if (processed.contains(eventId)) {
            repeated.incrementAndGet();
            screen.trouble("skipped    %s, its outbox_event_id was processed before", message.key());
            return;
        }
        boolean first = processed.isEmpty();
        screen.good("received   key %s, payload %s", message.key(), message.value());
        if (first) {
            message.headers().forEach(header -> screen.good("           %-22s %s", header.key(), text(header)));
        }
        processed.add(eventId);
    }

    private static String text(Header header) {
        return new String(header.value(), StandardCharsets.UTF_8);
    }

    /** Reads the topic from its first message again. */
    void rewind() {
        rewindRequested = true;
    }

    boolean hasProcessed(String eventId) {
        return processed.contains(eventId);
    }

    int processed() {
        return processed.size();
    }

    /** Returns how many messages were skipped because their event had been processed. */
    int repeated() {
        return repeated.get();
    }

    @Override
    public void close() {
        closed = true;
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
