package io.outbox.gson;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.util.function.Function;

/** A value of {@code java.time} as the ISO-8601 text that its {@code toString} gives. */
final class IsoAdapter<T> extends TypeAdapter<T> {

    private final Function<String, T> parser;

    IsoAdapter(Function<String, T> parser) {
        this.parser = parser;
    }

    @Override
    public void write(JsonWriter out, T value) throws IOException {
        out.value(value.toString());
    }

    @Override
    public T read(JsonReader in) throws IOException {
        return parser.apply(in.nextString());
    }
}
