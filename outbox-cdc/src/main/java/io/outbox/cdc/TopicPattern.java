package io.outbox.cdc;

import io.outbox.EventEnvelope;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.errors.DataException;

/** The name of a topic, with {@value #AGGREGATE_TYPE} and {@value #EVENT_TYPE} for those of the event. Immutable. */
final class TopicPattern {

    static final String AGGREGATE_TYPE = "{aggregateType}";
    static final String EVENT_TYPE = "{eventType}";

    private static final Pattern LITERAL = Pattern.compile("[a-zA-Z0-9._-]*");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{[^{}]*}");
    private static final int MAX_LENGTH = 249;
    private static final String RULE = "a topic has up to " + MAX_LENGTH + " letters, digits, '.', '_' and '-'";

    private final String text;

    private TopicPattern(String text) {
        this.text = text;
    }

    /** @throws ConfigException if this can never be the name of a topic; it names the setting and says why */
    static TopicPattern parse(String setting, String text) {
        if (text.isBlank()) {
            throw new ConfigException(setting, text, "must not be blank; name a topic, for example " + EVENT_TYPE);
        }
        Matcher placeholder = PLACEHOLDER.matcher(text);
        while (placeholder.find()) {
            if (!placeholder.group().equals(AGGREGATE_TYPE)
                    && !placeholder.group().equals(EVENT_TYPE)) {
                throw new ConfigException(
                        setting,
                        text,
                        "has an unknown placeholder " + placeholder.group() + "; there are " + AGGREGATE_TYPE + " and "
                                + EVENT_TYPE);
            }
        }
        String literal = placeholder.replaceAll("");
        if (!LITERAL.matcher(literal).matches() || literal.length() > MAX_LENGTH || isDots(text)) {
            throw new ConfigException(setting, text, "cannot be the name of a topic: " + RULE);
        }
        return new TopicPattern(text);
    }

    boolean needsAggregateType() {
        return text.contains(AGGREGATE_TYPE);
    }

    /** @throws DataException if types of the event have signs that the name of a topic cannot have */
    String topicOf(EventEnvelope event) {
        String topic = text.replace(AGGREGATE_TYPE, event.aggregateType()).replace(EVENT_TYPE, event.eventType());
        if (topic.isEmpty()
                || topic.length() > MAX_LENGTH
                || !LITERAL.matcher(topic).matches()
                || isDots(topic)) {
            throw new DataException("\"" + topic + "\" cannot be the name of a topic: " + RULE);
        }
        return topic;
    }

    private static boolean isDots(String name) {
        return name.equals(".") || name.equals("..");
    }
}
