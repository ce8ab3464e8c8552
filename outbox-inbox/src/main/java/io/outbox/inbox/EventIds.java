package io.outbox.inbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Finds the ids of events in messages, by the header that brings them or by an extractor. */
final class EventIds {

    private final String header;
    private final HeaderReaders readers;
    private final @Nullable EventIdExtractor<Object> extractor;
    private final Unidentified unidentified;

    /** @param extractor finds ids in place of the header */
    EventIds(
            String header,
            HeaderReaders readers,
            @Nullable EventIdExtractor<Object> extractor,
            Unidentified unidentified) {
        this.header = header;
        this.readers = readers;
        this.extractor = extractor;
        this.unidentified = unidentified;
    }

    /**
     * Returns the id that a message brings, usually in its header; {@code null} if it has no usable one and is passed
     * on.
     */
    @Nullable
    String inHeader(Object message) {
        if (extractor != null) {
            return extracted(message, extractor);
        }
        return usable(readers.header(message, header), "The header " + header + " of a message", header);
    }

    /** Returns the id that the extractor finds; {@code null} if it is not usable and the message is passed on. */
    <T> @Nullable String extracted(T message, EventIdExtractor<? super T> extractor) {
        return usable(extractor.eventIdOf(message), "The event id that was extracted from a message", null);
    }

    /** Returns the id; {@code null} if it is not usable and its event is passed on. */
    @Nullable
    String given(String eventId) {
        return usable(Objects.requireNonNull(eventId, "eventId"), "The event id", null);
    }

    private @Nullable String usable(@Nullable Object value, String what, @Nullable String headerName) {
        EventId id = EventId.of(value);
        if (!id.isValid() && unidentified == Unidentified.REFUSE) {
            throw new InvalidEventIdException(
                    what + " " + id.problem() + ". Without an id the event cannot be told from others, so it was not"
                            + " consumed",
                    headerName);
        }
        return id.text();
    }
}
