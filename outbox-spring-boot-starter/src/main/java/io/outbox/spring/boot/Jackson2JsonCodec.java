package io.outbox.spring.boot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.lang.reflect.Type;
import java.util.Objects;

/** A {@link JsonCodec} by a Jackson 2 mapper. Thread-safe. */
public final class Jackson2JsonCodec implements JsonCodec {

    private final ObjectMapper mapper;

    /**
     * Creates a codec with its own mapper, set up as Spring Boot does it: times as text, unknown fields ignored, and
     * all modules on the class path, such as those for {@code Optional}, for constructors by the names of their
     * parameters, and for Kotlin.
     */
    public Jackson2JsonCodec() {
        this(JsonMapper.builder()
                .findAndAddModules()
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(MapperFeature.DEFAULT_VIEW_INCLUSION)
                .build());
    }

    public Jackson2JsonCodec(ObjectMapper mapper) {
        this.mapper = Objects.requireNonNull(mapper, "mapper");
    }

    @Override
    public String toJson(Object obj) {
        try {
            return mapper.writeValueAsString(obj);
        } catch (JsonProcessingException e) {
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
        } catch (JsonProcessingException e) {
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
        } catch (JsonProcessingException e) {
            // there is a way to make one, though not of nothing
        }
    }

    /**
     * Says what is wrong and where, but not with which text: that may be anything a customer typed. What is wrong with
     * the class itself is said in full, as that is for the developer to mend.
     */
    private static String problem(JsonProcessingException e) {
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
