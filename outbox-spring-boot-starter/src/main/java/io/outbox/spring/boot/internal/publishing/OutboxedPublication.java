package io.outbox.spring.boot.internal.publishing;

import io.outbox.AggregateType;
import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Outboxed;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ExpressionParser;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** How objects of one class with {@link Outboxed} become events. Checked when it is made; thread-safe. */
final class OutboxedPublication {

    private static final ExpressionParser PARSER = new SpelExpressionParser();

    private final Class<?> type;
    private final UnaryOperator<String> placeholders;
    private final Expression eventType;
    private final Expression aggregateType;
    private final Expression aggregateId;
    private final Expression tenant;
    private final Expression delay;
    private final Map<String, Expression> headers = new LinkedHashMap<>();

    OutboxedPublication(Class<?> type, Outboxed annotation, UnaryOperator<String> placeholders) {
        this.type = type;
        this.placeholders = placeholders;
        this.eventType = parsed("type", annotation.type().isEmpty() ? type.getSimpleName() : annotation.type());
        this.aggregateType = parsed("aggregateType", annotation.aggregateType());
        this.aggregateId = parsed("aggregateId", annotation.aggregateId());
        this.tenant = parsed("tenant", annotation.tenant());
        this.delay = parsed("delay", annotation.delay());
        Arrays.stream(annotation.headers()).forEach(this::addHeader);
    }

    private void addHeader(String header) {
        int colon = header.indexOf(':');
        if (colon < 1) {
            throw problem("a header must have the form 'name: value', but is '" + header + "'", null);
        }
        headers.put(
                header.substring(0, colon).strip(),
                parsed("headers", header.substring(colon + 1).strip()));
    }

    private Expression parsed(String attribute, String text) {
        try {
            return PARSER.parseExpression(placeholders.apply(text), ParserContext.TEMPLATE_EXPRESSION);
        } catch (ParseException e) {
            throw problem(attribute + " is not a text with expressions: " + e.getMessage(), e);
        }
    }

    /** Writes the object as an event. */
    void publish(Object payload, OutboxPublisher publisher) {
        OutboxPublisher.Draft draft = publisher.event(text("type", eventType, payload));
        String aggregate = text("aggregateType", aggregateType, payload);
        String id = text("aggregateId", aggregateId, payload);
        if (!aggregate.isEmpty() || !id.isEmpty()) {
            draft.aggregate(aggregate.isEmpty() ? AggregateType.GLOBAL.name() : aggregate, id.isEmpty() ? null : id);
        }
        String ofTenant = text("tenant", tenant, payload);
        if (!ofTenant.isEmpty()) {
            draft.tenant(ofTenant);
        }
        headers.forEach((name, expression) -> {
            String value = text("headers", expression, payload);
            if (!value.isEmpty()) {
                draft.header(name, value);
            }
        });
        Duration wait = delay(payload);
        if (!wait.isZero()) {
            draft.delay(wait);
        }
        draft.publish(payload);
    }

    private String text(String attribute, Expression expression, Object payload) {
        Object value = value(attribute, expression, payload);
        return value == null ? "" : value.toString();
    }

    private Duration delay(Object payload) {
        Object value = value("delay", delay, payload);
        if (value instanceof Duration duration) {
            return duration;
        }
        String text = value == null ? "" : value.toString();
        try {
            return text.isEmpty() ? Duration.ZERO : DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw problem("delay is no duration: '" + text + "'", e);
        }
    }

    private Object value(String attribute, Expression expression, Object payload) {
        try {
            return expression.getValue(
                    SimpleEvaluationContext.forReadOnlyDataBinding()
                            .withInstanceMethods()
                            .build(),
                    payload);
        } catch (EvaluationException e) {
            throw problem(
                    attribute + " '" + expression.getExpressionString() + "' cannot be evaluated: " + e.getMessage(),
                    e);
        }
    }

    private IllegalStateException problem(String problem, Exception cause) {
        return new IllegalStateException("@Outboxed on " + type.getName() + ": " + problem, cause);
    }
}
