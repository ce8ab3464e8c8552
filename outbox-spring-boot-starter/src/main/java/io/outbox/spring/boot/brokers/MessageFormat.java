package io.outbox.spring.boot.brokers;

import io.outbox.OutboxHeaders;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.CloudEvents;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** What the messages of all senders have in common, by settings. */
final class MessageFormat {

    private static final String SOURCE = PublisherKeys.of("cloud-events.source");

    private final OutboxPublisherProperties publisher;
    private final Environment environment;

    MessageFormat(OutboxPublisherProperties publisher, Environment environment) {
        this.publisher = publisher;
        this.environment = environment;
    }

    /** Returns the headers that have other names than usual. */
    Map<OutboxHeaders, String> headerNames() {
        return publisher.headers();
    }

    /** Returns whether an event type has a serializer. */
    boolean hasSerializers() {
        return publisher.events().values().stream().anyMatch(event -> event.serializer() != null);
    }

    /** Returns where events come from, if they are to be CloudEvents. */
    Optional<URI> cloudEventSource() {
        CloudEvents cloudEvents = publisher.cloudEvents();
        if (!cloudEvents.enabled()) {
            return Optional.empty();
        }
        String source = cloudEvents.source() != null
                ? cloudEvents.source()
                : environment.getProperty("spring.application.name", "");
        if (source.isBlank()) {
            throw new InvalidConfigurationPropertyValueException(
                    SOURCE,
                    cloudEvents.source(),
                    "must be set, or spring.application.name: it names the origin of the application's events");
        }
        try {
            return Optional.of(URI.create(source));
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    SOURCE, source, "is not a valid URI: " + e.getMessage());
        }
    }
}
