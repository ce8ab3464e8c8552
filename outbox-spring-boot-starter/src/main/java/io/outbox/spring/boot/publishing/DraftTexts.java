package io.outbox.spring.boot.publishing;

import io.outbox.AggregateType;
import io.outbox.OutboxPublisher.Draft;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * What an annotation says about an event beside its payload, in texts that may have placeholders and, in <code>#{…}</code>,
 * expressions. A text that is empty, or whose expressions give nothing, says nothing. Checked when it is made; thread-safe.
 */
final class DraftTexts {

    private static final String AGGREGATE_TYPE = "aggregateType";
    private static final String AGGREGATE_ID = "aggregateId";
    private static final String KEY = "key";
    private static final String TENANT = "tenant";
    private static final String DELAY = "delay";
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String owner;
    private final UnaryOperator<String> placeholders;
    private final Map<String, Expression> texts = new LinkedHashMap<>();
    private final Map<String, Expression> headers = new LinkedHashMap<>();

    /**
     * Creates texts that say nothing yet.
     *
     * @param owner the annotation and where it is, for messages
     */
    DraftTexts(String owner, UnaryOperator<String> placeholders) {
        this.owner = owner;
        this.placeholders = placeholders;
    }

    DraftTexts aggregate(String aggregateType, String aggregateId) {
        add(AGGREGATE_TYPE, aggregateType);
        add(AGGREGATE_ID, aggregateId);
        return this;
    }

    DraftTexts key(String key) {
        add(KEY, key);
        return this;
    }

    DraftTexts tenant(String tenant) {
        add(TENANT, tenant);
        return this;
    }

    DraftTexts delay(String delay) {
        add(DELAY, delay);
        return this;
    }

    /** Adds headers, each as {@code name: value}. */
    DraftTexts headers(String... given) {
        for (String header : given) {
            int colon = header.indexOf(':');
            if (colon < 1) {
                throw problem("a header must have the form 'name: value', but is '" + header + "'", null);
            }
            headers.put(
                    header.substring(0, colon).strip(),
                    parsed("headers", header.substring(colon + 1).strip()));
        }
        return this;
    }

    private void add(String attribute, String text) {
        if (!text.isEmpty()) {
            texts.put(attribute, parsed(attribute, text));
        }
    }

    Expression parsed(String attribute, String text) {
        try {
            return PARSER.parseExpression(placeholders.apply(text), ParserContext.TEMPLATE_EXPRESSION);
        } catch (ParseException e) {
            throw problem(attribute + " is not a text with expressions: " + e.getMessage(), e);
        }
    }

    boolean isEmpty() {
        return texts.isEmpty() && headers.isEmpty();
    }

    /** Tells a draft what the texts say. */
    void addTo(Draft draft, EvaluationContext context, Object root) {
        String aggregateType = text(AGGREGATE_TYPE, context, root);
        String aggregateId = text(AGGREGATE_ID, context, root);
        if (!aggregateType.isEmpty() || !aggregateId.isEmpty()) {
            draft.aggregate(
                    aggregateType.isEmpty() ? AggregateType.GLOBAL.name() : aggregateType,
                    aggregateId.isEmpty() ? null : aggregateId);
        }
        String key = text(KEY, context, root);
        if (!key.isEmpty()) {
            draft.key(key);
        }
        String tenant = text(TENANT, context, root);
        if (!tenant.isEmpty()) {
            draft.tenant(tenant);
        }
        headers.forEach((name, expression) -> {
            String value = text("headers", expression, context, root);
            if (!value.isEmpty()) {
                draft.header(name, value);
            }
        });
        Duration wait = delay(context, root);
        if (!wait.isZero()) {
            draft.delay(wait);
        }
    }

    private String text(String attribute, EvaluationContext context, Object root) {
        Expression expression = texts.get(attribute);
        return expression == null ? "" : text(attribute, expression, context, root);
    }

    String text(String attribute, Expression expression, EvaluationContext context, Object root) {
        Object value = value(attribute, expression, context, root);
        return value == null ? "" : value.toString();
    }

    private Duration delay(EvaluationContext context, Object root) {
        Expression expression = texts.get(DELAY);
        Object value = expression == null ? null : value(DELAY, expression, context, root);
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

    private Object value(String attribute, Expression expression, EvaluationContext context, Object root) {
        try {
            return expression.getValue(context, root);
        } catch (EvaluationException e) {
            throw problem(
                    attribute + " '" + expression.getExpressionString() + "' cannot be evaluated: " + e.getMessage(),
                    e);
        }
    }

    private IllegalStateException problem(String problem, Exception cause) {
        return new IllegalStateException(owner + ": " + problem, cause);
    }
}
