package io.outbox;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The attributes of an event as a CloudEvent, version 1.0, whose data is the payload. Immutable and thread-safe. */
public final class CloudEventAttributes {

    private static final String VERSION = "1.0";

    private final String source;

    /**
     * Creates attributes.
     *
     * @param source where the events come from: with an event's id, it names the event among those of all sources
     * @throws IllegalArgumentException if the source is empty
     */
    public CloudEventAttributes(URI source) {
        this.source = Check.notBlank(Objects.requireNonNull(source, "source").toString(), "source");
    }

    /**
     * Returns the attributes of an event by their names, in a map that may be changed: {@code specversion}, {@code id},
     * {@code source}, {@code type}, {@code time} and, if it has an aggregate id, that as its {@code subject}.
     */
    public Map<String, String> of(EventEnvelope event) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put("specversion", VERSION);
        attributes.put("id", event.eventId());
        attributes.put("source", source);
        attributes.put("type", event.eventType());
        attributes.put("time", event.occurredAt().toString());
        if (event.aggregateId() != null && !event.aggregateId().isEmpty()) {
            attributes.put("subject", event.aggregateId());
        }
        return attributes;
    }
}
