package io.outbox.inbox;

import io.outbox.spi.HeaderReader;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the headers of a message from a map of them. */
final class MapHeaders implements HeaderReader<Map<?, ?>> {

    @Override
    @SuppressWarnings("unchecked")
    public Class<Map<?, ?>> messageType() {
        return (Class<Map<?, ?>>) (Class<?>) Map.class;
    }

    @Override
    public @Nullable Object header(Map<?, ?> headers, String name) {
        return headers.get(name);
    }
}
