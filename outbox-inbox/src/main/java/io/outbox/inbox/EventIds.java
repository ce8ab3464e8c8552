package io.outbox.inbox;

import java.util.List;
import java.util.Objects;

/** Finds the ids of events in messages, by the header that brings them or by an extractor. */
final class EventIds {

    private final String header;
    private final List<HeaderReader<?>> readers;
    private final Unidentified unidentified;

    /** Creates it; the first reader that knows a kind of message reads it. */
    EventIds(String header, List<HeaderReader<?>> readers, Unidentified unidentified) {
        this.header = header;
        this.readers = List.copyOf(readers);
        this.unidentified = unidentified;
    }

    /** Returns the id in the message's header; {@code null} if it has no usable one and is passed on. */
    String inHeader(Object message) {
        HeaderReader<?> reader = readers.stream()
                .filter(candidate -> candidate.messageType().isInstance(message))
                .findFirst()
                .orElseThrow(() -> unknownKind(message));
        return usable(read(reader, message), "The header " + header + " of a message", header);
    }

    /** Returns the id that the extractor finds; {@code null} if it is not usable and the message is passed on. */
    <T> String extracted(T message, EventIdExtractor<? super T> extractor) {
        return usable(extractor.eventIdOf(message), "The event id that was extracted from a message", null);
    }

    /** Returns the id; {@code null} if it is not usable and its event is passed on. */
    String given(String eventId) {
        return usable(Objects.requireNonNull(eventId, "eventId"), "The event id", null);
    }

    private <M> Object read(HeaderReader<M> reader, Object message) {
        return reader.header(reader.messageType().cast(message), header);
    }

    private String usable(Object value, String what, String headerName) {
        EventId id = EventId.of(value);
        if (!id.isValid() && unidentified == Unidentified.REFUSE) {
            throw new InvalidEventIdException(
                    what + " " + id.problem() + ". Without an id the event cannot be told from others, so it was not"
                            + " consumed",
                    headerName);
        }
        return id.text();
    }

    private IllegalArgumentException unknownKind(Object message) {
        return new IllegalArgumentException("No header " + header + " can be read from a "
                + message.getClass().getName() + "; readable are "
                + readers.stream().map(reader -> reader.messageType().getName()).toList()
                + ". Give a HeaderReader for such messages to the consumer, or an extractor or the id to the call");
    }
}
