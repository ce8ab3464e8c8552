package io.outbox.internal.writing;

import io.outbox.EventEnvelope;
import io.outbox.internal.subscription.EventRow;
import io.outbox.spi.NewEvent;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which key an event keeps its order by: {@code <aggregate type>/<key>#}, followed by the name of the subscription
 * whose row it is. The sign at the end keeps keys apart that differ by trailing spaces, which some databases do not. A
 * key that is longer than its column becomes a hash.
 */
public final class OrderKeys {

    /** No event has one. */
    public static final OrderKeys NONE = new OrderKeys(null, Set.of());

    private static final int MAX_LENGTH = 400;

    private final Set<String> exceptions;
    private final Set<String> subscriptionExceptions;

    /**
     * @param exceptions the event types that have none, or {@code null} if no event has one
     * @param subscriptionExceptions the names of subscriptions whose rows have none
     */
    public OrderKeys(Set<String> exceptions, Set<String> subscriptionExceptions) {
        this.exceptions = exceptions;
        this.subscriptionExceptions = subscriptionExceptions;
    }

    /** Returns the key of an event, or of the row of a subscription; {@code null} if it keeps no order. */
    public String of(EventEnvelope event) {
        if (exceptions == null || event.isDelayed() || event.key() == null) {
            return null;
        }
        String subscription = EventRow.subscriptionOf(event);
        if (subscription != null && subscriptionExceptions.contains(subscription)) {
            return null;
        }
        String writtenType = subscription == null
                ? event.eventType()
                : event.eventType().substring(0, event.eventType().length() - subscription.length() - 1);
        if (exceptions.contains(writtenType)) {
            return null;
        }
        String key = event.aggregateType() + "/" + event.key() + "#" + (subscription == null ? "" : subscription);
        return key.length() <= MAX_LENGTH ? key : hash(key);
    }

    /** Returns the events with their keys. */
    public List<NewEvent> in(List<NewEvent> events) {
        return exceptions == null
                ? events
                : events.stream()
                        .map(event -> event.withOrderKey(of(event.event())))
                        .toList();
    }

    /** Returns the keys of these events, each once, in an order that is the same for every writer. */
    public static Set<String> sorted(List<NewEvent> events) {
        Set<String> keys = new TreeSet<>();
        for (NewEvent event : events) {
            if (event.orderKey() != null) {
                keys.add(event.orderKey());
            }
        }
        return keys;
    }

    private static String hash(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256", e);
        }
    }
}
