package io.outbox.gson;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.function.Function;

/**
 * A {@link JsonCodec} by Gson, found through {@link java.util.ServiceLoader}. Thread-safe.
 *
 * <p>By default, types of {@code java.time} are ISO-8601 strings, null fields are left out, nothing is escaped for
 * HTML, whole numbers read without a target type are {@code Long}s, and only well-formed JSON is read. For other rules
 * give the codec a {@link Gson} of your own and make it the default by {@link JsonCodec#setDefault}.
 */
public final class GsonJsonCodec implements JsonCodec {

    private final Gson gson;

    /** Creates a codec with the rules above. */
    public GsonJsonCodec() {
        this(defaultGson());
    }

    /** Creates a codec with the rules of the given Gson. */
    public GsonJsonCodec(Gson gson) {
        this.gson = Objects.requireNonNull(gson, "gson");
    }

    @Override
    public String toJson(Object obj) {
        return gson.toJson(obj);
    }

    /**
     * Reads an object from JSON; the JSON null gives {@code null}.
     *
     * @throws PayloadParseException if the text is empty, malformed, or does not fit the type. It has neither Gson's
     *     message nor Gson's exception as its cause, because they quote the text
     */
    @Override
    public <T> T fromJson(String json, Class<T> type) {
        return fromJson(json, (Type) type);
    }

    @Override
    public <T> T fromJson(String json, Type type) {
        Objects.requireNonNull(json, "json");
        Objects.requireNonNull(type, "type");
        if (json.isBlank()) {
            throw unreadable(type, "the text is empty");
        }
        try {
            return gson.fromJson(json, type);
        } catch (RuntimeException | StackOverflowError e) {
            throw unreadable(type, rootOf(e).getClass().getSimpleName());
        }
    }

    private static PayloadParseException unreadable(Type type, String reason) {
        return new PayloadParseException("JSON cannot be read as " + type.getTypeName() + " (" + reason + ")");
    }

    private static Throwable rootOf(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static Gson defaultGson() {
        GsonBuilder builder = new GsonBuilder()
                .setStrictness(Strictness.STRICT)
                .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
                .disableHtmlEscaping();
        iso(builder, Duration.class, Duration::parse);
        iso(builder, Instant.class, Instant::parse);
        iso(builder, LocalDate.class, LocalDate::parse);
        iso(builder, LocalDateTime.class, LocalDateTime::parse);
        iso(builder, LocalTime.class, LocalTime::parse);
        iso(builder, OffsetDateTime.class, OffsetDateTime::parse);
        iso(builder, Period.class, Period::parse);
        iso(builder, ZonedDateTime.class, ZonedDateTime::parse);
        return builder.create();
    }

    private static <T> void iso(GsonBuilder builder, Class<T> type, Function<String, T> parser) {
        builder.registerTypeAdapter(type, new IsoAdapter<>(parser).nullSafe());
    }
}
