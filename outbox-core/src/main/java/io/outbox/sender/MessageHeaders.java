package io.outbox.sender;

import io.outbox.CloudEventAttributes;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the headers of messages. Thread-safe.
 *
 * @param names the headers of the outbox that have other names
 * @param cloudEvents what makes messages CloudEvents, if they are to be
 * @param attributePrefix what the broker's protocol binding has before the names of CloudEvents' attributes
 */
public record MessageHeaders(
        Map<OutboxHeaders, String> names, @Nullable CloudEventAttributes cloudEvents, String attributePrefix) {

    /** Returns whether messages are CloudEvents. */
    public boolean areOfCloudEvents() {
        return cloudEvents != null;
    }

    /**
     * Returns the headers of a message, in a map that may be changed. One of the route never stands in for one of the
     * outbox, whatever that is called.
     */
    public Map<String, String> of(EventEnvelope event, OutboxRoute route) {
        Map<String, String> headers = OutboxHeaders.of(event, names);
        route.headers().forEach((name, text) -> {
            if (!names.containsValue(name)) {
                headers.put(name, text);
            }
        });
        if (cloudEvents != null) {
            cloudEvents.of(event).forEach((name, text) -> headers.put(attributePrefix + name, text));
        }
        return headers;
    }
}
