package io.outbox.inbox;

import io.outbox.spi.HeaderReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Reads headers of messages of all kinds that a {@link HeaderReader} is there for. Immutable and thread-safe.
 *
 * <p>The first reader that knows a kind of message reads it: those that are given, then those that the {@link
 * ServiceLoader} finds, then the ones for {@link io.outbox.EventEnvelope} and for maps of headers.
 */
public final class HeaderReaders {

    private final List<HeaderReader<?>> readers;

    private HeaderReaders(List<HeaderReader<?>> readers) {
        this.readers = readers;
    }

    /** Returns the given readers, followed by those that are always there. */
    public static HeaderReaders of(Collection<? extends HeaderReader<?>> first) {
        List<HeaderReader<?>> all = new ArrayList<>(first);
        for (HeaderReader<?> found : ServiceLoader.load(HeaderReader.class, HeaderReaders.class.getClassLoader())) {
            if (knowsItsKind(found)) {
                all.add(found);
            }
        }
        all.add(new EnvelopeHeaders());
        all.add(new MapHeaders());
        return new HeaderReaders(List.copyOf(all));
    }

    /** A module for a broker may be there without the broker's client; then there are no messages to read either. */
    private static boolean knowsItsKind(HeaderReader<?> reader) {
        try {
            return reader.messageType() != null;
        } catch (NoClassDefFoundError e) {
            return false;
        }
    }

    /** Returns whether headers of this message can be read. */
    public boolean canRead(Object message) {
        return readers.stream().anyMatch(reader -> reader.messageType().isInstance(message));
    }

    /**
     * Returns the value of a header as the reader gives it; {@code null} if the message has no such header.
     *
     * @throws IllegalArgumentException if no reader knows this kind of message
     */
    public @Nullable Object header(Object message, String name) {
        HeaderReader<?> reader = readers.stream()
                .filter(candidate -> candidate.messageType().isInstance(message))
                .findFirst()
                .orElseThrow(() -> unknownKind(message, name));
        return read(reader, message, name);
    }

    private static <M> @Nullable Object read(HeaderReader<M> reader, Object message, String name) {
        return reader.header(reader.messageType().cast(message), name);
    }

    private IllegalArgumentException unknownKind(Object message, String name) {
        return new IllegalArgumentException("No header " + name + " can be read from a "
                + message.getClass().getName() + "; readable are "
                + readers.stream().map(reader -> reader.messageType().getName()).toList()
                + ". Give a HeaderReader for such messages to the consumer, or an extractor or the id to the call");
    }
}
