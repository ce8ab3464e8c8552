package io.outbox.spring.boot.brokers;

import io.outbox.BatchEventListener;
import io.outbox.EventListener;
import io.outbox.spi.PayloadSerializer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sender and the serializer of each event type. Senders share nothing: an outage of one broker is none of the
 * others.
 */
final class Senders {

    private final Map<String, BatchEventListener> byEventType = new HashMap<>();
    private final Map<String, PayloadSerializer> serializers = new HashMap<>();
    private final List<Object> all = new ArrayList<>();

    static Senders none() {
        return new Senders();
    }

    /** Adds a sender, which is closed with the others. */
    void add(Iterable<String> eventTypes, BatchEventListener sender) {
        all.add(sender);
        eventTypes.forEach(type -> byEventType.put(type, sender));
    }

    /** Adds the serializer of an event type, which is closed with the others. */
    void add(String eventType, PayloadSerializer serializer) {
        all.add(serializer);
        serializers.put(eventType, serializer);
    }

    /** Returns the serializer of an event type, or {@code null}. */
    PayloadSerializer serializerOf(String eventType) {
        return serializers.get(eventType);
    }

    /** Returns the sender of an event type, or {@code null}. */
    EventListener of(String eventType) {
        return byEventType.get(eventType);
    }

    /** Ends all of them, also when the end of one fails; the first failure is thrown. */
    void close() throws Exception {
        Exception failure = null;
        for (Object one : all) {
            try {
                if (one instanceof AutoCloseable closeable) {
                    closeable.close();
                }
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
