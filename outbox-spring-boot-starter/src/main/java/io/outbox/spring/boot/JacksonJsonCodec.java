package io.outbox.spring.boot;

import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.lang.reflect.Type;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.exc.InvalidDefinitionException;

/** A {@link JsonCodec} by the application's Jackson 3 mapper. Thread-safe. */
public final class JacksonJsonCodec implements JsonCodec {

    private final ObjectMapper mapper;

    public JacksonJsonCodec(ObjectMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public String toJson(Object obj) {
        try {
            return mapper.writeValueAsString(obj);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    "Cannot write JSON for "
                            + (obj == null ? "null" : obj.getClass().getName()),
                    e);
        }
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
        return fromJson(json, (Type) type);
    }

    @Override
    public <T> T fromJson(String json, Type type) {
        try {
            return mapper.readValue(json, mapper.constructType(type));
        } catch (JacksonException e) {
            throw new PayloadParseException("Cannot read " + type.getTypeName() + " from JSON: " + problem(e));
        }
    }

    /** Reads an empty object: what is wrong with the class shows before what is missing in its content. */
    @Override
    public void requireReadable(Type type) {
        try {
            mapper.readValue("{}", mapper.constructType(type));
        } catch (InvalidDefinitionException e) {
            throw new IllegalArgumentException("Cannot read " + type.getTypeName() + " from JSON: " + problem(e), e);
        } catch (JacksonException e) {
            // there is a way to make one, though not of nothing
        }
    }

    /**
     * Says what is wrong and where, but not with which text: that may be anything a customer typed. What is wrong with
     * the class itself is said in full, as that is for the developer to mend.
     */
    private static String problem(JacksonException e) {
        String aboutTheClass = e instanceof InvalidDefinitionException
                ? " (" + e.getOriginalMessage().replaceAll("(?s)\\('.*'\\)", "") + ")"
                : "";
        return e.getClass().getSimpleName()
                + aboutTheClass
                + (e.getLocation() == null
                        ? ""
                        : " at line " + e.getLocation().getLineNr() + ", column "
                                + e.getLocation().getColumnNr());
    }
}
