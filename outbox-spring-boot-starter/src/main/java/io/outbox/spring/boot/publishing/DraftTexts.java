package io.outbox.spring.boot.publishing;

import io.outbox.AggregateType;
import io.outbox.OutboxPublisher.Draft;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.expression.EvaluationContext;

/**
 * What an annotation says about an event beside its payload, in texts that may have placeholders and, in
 * <code>#{…}</code>, expressions. A text that is empty, or whose expressions give nothing, says nothing. Checked when
 * it is made; thread-safe.
 */
final class DraftTexts {

    private static final String AGGREGATE_TYPE = "aggregateType";
    private static final String AGGREGATE_ID = "aggregateId";
    private static final String KEY = "key";
    private static final String TENANT = "tenant";
    private static final String DELAY = "delay";

    private final String owner;
    private final UnaryOperator<String> placeholders;
    private final Map<String, AttributeExpression> texts = new LinkedHashMap<>();
    private final Map<String, AttributeExpression> headers = new LinkedHashMap<>();

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

    AttributeExpression parsed(String attribute, String text) {
        return AttributeExpression.ofText(owner, attribute, placeholders.apply(text));
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
            String value = expression.text(context, root);
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
        AttributeExpression expression = texts.get(attribute);
        return expression == null ? "" : expression.text(context, root);
    }

    private Duration delay(EvaluationContext context, Object root) {
        AttributeExpression expression = texts.get(DELAY);
        Object value = expression == null ? null : expression.value(context, root);
        if (value instanceof Duration duration) {
            return duration;
        }
        String text = value == null ? "" : value.toString();
        try {
            return text.isEmpty() ? Duration.ZERO : DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw problem("delay is not a duration: '" + text + "'", e);
        }
    }

    private IllegalStateException problem(String problem, Exception cause) {
        return AttributeExpression.problem(owner, problem, cause);
    }
}
