package io.outbox.support;

import io.outbox.spi.JsonCodec;
import java.lang.reflect.Type;

/** Marks what it writes and reads with its name, so that a test sees which codec was at work. */
public record NamedCodec(String name) implements JsonCodec {

    @Override
    public String toJson(Object obj) {
        return name + " wrote " + obj;
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
        return type.cast(name + " read " + json);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T fromJson(String json, Type type) {
        return (T) (name + " read " + json + " as " + type.getTypeName());
    }
}
