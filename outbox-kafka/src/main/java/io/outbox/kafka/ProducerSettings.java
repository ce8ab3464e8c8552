package io.outbox.kafka;

import static org.apache.kafka.clients.producer.ProducerConfig.ACKS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.BATCH_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.LINGER_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_BLOCK_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION;
import static org.apache.kafka.clients.producer.ProducerConfig.MAX_REQUEST_SIZE_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RETRIES_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.RETRY_BACKOFF_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.TRANSACTIONAL_ID_CONFIG;
import static org.apache.kafka.clients.producer.ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The configuration of a producer: what the user set, what follows from the emergency timeout, and what is wrong with
 * it.
 *
 * <p>A record may wait for metadata ({@code max.block.ms}) and then for its acknowledgement ({@code
 * delivery.timeout.ms}). Both together stay below the emergency timeout unless the user wants otherwise: then the
 * producer gives a record up before its event is given back, and cannot send it afterwards.
 *
 * <p>The size of requests, {@code batch.size}, is left to Kafka, though larger ones would be faster: what the broker
 * refuses as larger than a topic's limit, the client splits into requests of that size, which with a limit between the
 * two is the same again, until the delivery timeout. Clients of 3.9 always do so, those of 4.2 sometimes. A topic whose
 * limit is below Kafka's default size makes {@link #withSmallRequests} necessary.
 */
final class ProducerSettings {

    private static final int IDEMPOTENT_IN_FLIGHT = 5;
    private static final long DEFAULT_DELIVERY_TIMEOUT_MS = 120_000;
    private static final long DEFAULT_MAX_BLOCK_MS = 60_000;
    private static final long DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
    /** Delays nothing, as each batch is flushed; without it, older clients send its first records one by one. */
    private static final long DEFAULT_LINGER_MS = 5;
    /** A broker that is back is found within this time; Kafka's default is a second. */
    private static final long LONGEST_BACKOFF_MS = 250;
    /** The network lost our packet if there is no connection by then; Kafka waits 10 to 30 seconds. */
    private static final long CONNECT_TIMEOUT_MS = 2_000;
    /**
     * More than the largest event takes, so that the broker alone decides; Kafka's default is 1 MiB with everything.
     */
    private static final int REQUEST_BYTES = 2 * 1024 * 1024;
    /** Less than any topic's limit; a larger record goes by itself. */
    private static final int SMALL_REQUEST_BYTES = 1024;

    private final Map<String, Object> given;
    private final long emergencyMs;

    ProducerSettings(Map<String, ?> given, Duration emergencyTimeout) {
        requireNotTransactional(given);
        this.given = new HashMap<>(given);
        this.emergencyMs = emergencyTimeout.toMillis();
    }

    static void requireNotTransactional(Map<String, ?> config) {
        if (config.get(TRANSACTIONAL_ID_CONFIG) != null) {
            throw new IllegalArgumentException(TRANSACTIONAL_ID_CONFIG
                    + " must not be set: the outbox does not send in Kafka transactions; use a producer configuration"
                    + " without it");
        }
    }

    /** Returns the configuration for the producer. */
    Map<String, Object> effective() {
        Map<String, Object> config = new HashMap<>(given);
        config.remove(KEY_SERIALIZER_CLASS_CONFIG);
        config.remove(VALUE_SERIALIZER_CLASS_CONFIG);
        config.putIfAbsent(MAX_BLOCK_MS_CONFIG, Math.max(1, Math.min(DEFAULT_MAX_BLOCK_MS, emergencyMs / 4)));
        config.putIfAbsent(
                RECONNECT_BACKOFF_MAX_MS_CONFIG, Math.max(LONGEST_BACKOFF_MS, number(RECONNECT_BACKOFF_MS_CONFIG, 0)));
        config.putIfAbsent(
                RETRY_BACKOFF_MAX_MS_CONFIG, Math.max(LONGEST_BACKOFF_MS, number(RETRY_BACKOFF_MS_CONFIG, 0)));
        config.putIfAbsent(SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, CONNECT_TIMEOUT_MS);
        config.putIfAbsent(
                SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG,
                Math.max(CONNECT_TIMEOUT_MS, number(SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, 0)));
        config.putIfAbsent(MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES);
        config.putIfAbsent(LINGER_MS_CONFIG, DEFAULT_LINGER_MS);
        if (!given.containsKey(DELIVERY_TIMEOUT_MS_CONFIG)) {
            long delivery = Math.max(
                    Math.min(DEFAULT_DELIVERY_TIMEOUT_MS, emergencyMs * 2 / 3),
                    // Kafka refuses less.
                    linger() + (given.containsKey(REQUEST_TIMEOUT_MS_CONFIG) ? requestTimeout() : 1));
            config.put(DELIVERY_TIMEOUT_MS_CONFIG, (int) delivery);
            config.putIfAbsent(REQUEST_TIMEOUT_MS_CONFIG, (int)
                    Math.max(1, Math.min(DEFAULT_REQUEST_TIMEOUT_MS, (delivery - linger()) / 2)));
        }
        return config;
    }

    /** Returns the configuration for a producer whose requests pass a topic that takes only small ones. */
    Map<String, Object> withSmallRequests() {
        Map<String, Object> config = effective();
        config.put(BATCH_SIZE_CONFIG, SMALL_REQUEST_BYTES);
        return config;
    }

    /** Returns a sentence for each setting that weakens the guarantee; empty when all is well. */
    List<String> weaknesses() {
        List<String> found = new ArrayList<>();
        String acks = text(ACKS_CONFIG, "all").toLowerCase(Locale.ROOT);
        if (!acks.equals("all") && !acks.equals("-1")) {
            found.add(ACKS_CONFIG + "=" + acks
                    + " acknowledges events that a failing broker can still lose; set it to all");
        }
        if (!Boolean.parseBoolean(text(ENABLE_IDEMPOTENCE_CONFIG, "true"))) {
            found.add(ENABLE_IDEMPOTENCE_CONFIG
                    + "=false lets the producer's own retries duplicate and reorder events; set it to true");
        }
        long inFlight = number(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, IDEMPOTENT_IN_FLIGHT);
        if (inFlight > IDEMPOTENT_IN_FLIGHT) {
            found.add(MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION + "=" + inFlight
                    + " turns idempotence off, so that retries duplicate and reorder events; set it to "
                    + IDEMPOTENT_IN_FLIGHT + " or less");
        }
        long retries = number(RETRIES_CONFIG, Integer.MAX_VALUE);
        if (retries < 1) {
            found.add(RETRIES_CONFIG + "=" + retries
                    + " turns idempotence off and turns brief disturbances into failed attempts; leave it unset");
        }
        addTimeouts(found);
        return found;
    }

    private void addTimeouts(List<String> found) {
        long delivery = number(DELIVERY_TIMEOUT_MS_CONFIG, 0);
        if (delivery > emergencyMs) {
            found.add(DELIVERY_TIMEOUT_MS_CONFIG + "=" + delivery + " is longer than the emergency timeout of "
                    + emergencyMs + " ms: an event may be sent after it was returned to the store, and then sent again;"
                    + " set it lower");
        } else if (!given.containsKey(DELIVERY_TIMEOUT_MS_CONFIG)
                && given.containsKey(REQUEST_TIMEOUT_MS_CONFIG)
                && linger() + requestTimeout() > emergencyMs) {
            found.add(REQUEST_TIMEOUT_MS_CONFIG + "=" + requestTimeout()
                    + " makes deliveries take longer than the emergency timeout of " + emergencyMs
                    + " ms: an event may be sent after it was returned to the store, and then sent again;"
                    + " set it lower");
        }
        long maxBlock = number(MAX_BLOCK_MS_CONFIG, 0);
        if (maxBlock > emergencyMs) {
            found.add(MAX_BLOCK_MS_CONFIG + "=" + maxBlock + " is longer than the emergency timeout of " + emergencyMs
                    + " ms, and holds a worker for that long when the broker is down; set it lower");
        }
    }

    private long linger() {
        return number(LINGER_MS_CONFIG, DEFAULT_LINGER_MS);
    }

    private long requestTimeout() {
        return number(REQUEST_TIMEOUT_MS_CONFIG, DEFAULT_REQUEST_TIMEOUT_MS);
    }

    private String text(String name, String absent) {
        Object value = given.get(name);
        return value == null ? absent : value.toString().trim();
    }

    private long number(String name, long absent) {
        Object value = given.get(name);
        if (value == null) {
            return absent;
        }
        // Kafka's own parser, so that its exception names the setting.
        return ((Number) ConfigDef.parseType(name, value.toString(), ConfigDef.Type.LONG)).longValue();
    }
}
