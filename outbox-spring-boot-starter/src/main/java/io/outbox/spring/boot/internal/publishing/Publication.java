package io.outbox.spring.boot.internal.publishing;

import io.outbox.spring.boot.OutboxPublish;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/** What a method with {@link OutboxPublish} publishes. Checked when it is made; thread-safe. */
final class Publication {

    private static final String RESULT = "result";
    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final String eventType;
    private final Expression payload;

    Publication(Method method, OutboxPublish annotation) {
        this.method = method;
        this.eventType = annotation.eventType();
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw problem("the method must not be private, static or final, since a proxy cannot intercept it", null);
        }
        if (eventType.isBlank()) {
            throw problem("eventType must not be blank", null);
        }
        if (method.getReturnType() == void.class && annotation.payload().equals("#" + RESULT)) {
            throw problem(
                    "the method returns nothing; give a payload, such as the name of a parameter: \"#order\"", null);
        }
        try {
            this.payload = PARSER.parseExpression(annotation.payload());
        } catch (ParseException e) {
            throw problem("payload is not a SpEL expression: " + e.getMessage(), e);
        }
    }

    String eventType() {
        return eventType;
    }

    /** Returns what to publish after a call: a {@code List} for a batch, anything else for one event. */
    Object payload(Object target, Object[] arguments, Object result, BeanResolver beans) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(target, method, arguments, PARAMETER_NAMES);
        context.setVariable(RESULT, result);
        context.setBeanResolver(beans);
        Object value;
        try {
            value = payload.getValue(context);
        } catch (EvaluationException e) {
            throw problem("payload '" + payload.getExpressionString() + "' cannot be evaluated: " + e.getMessage(), e);
        }
        if (value instanceof Collection<?> || value instanceof Object[]) {
            List<?> batch =
                    value instanceof Collection<?> all ? List.copyOf(elements(all)) : elements((Object[]) value);
            return batch;
        }
        return present(value);
    }

    private Collection<?> elements(Collection<?> all) {
        all.forEach(this::present);
        return all;
    }

    private List<?> elements(Object[] all) {
        Arrays.asList(all).forEach(this::present);
        return List.of(all);
    }

    private Object present(Object value) {
        if (value == null) {
            throw problem(
                    "payload '" + payload.getExpressionString()
                            + "' is or contains null, so there is nothing to publish",
                    null);
        }
        if (value instanceof Future<?>) {
            throw problem(
                    "payload '" + payload.getExpressionString() + "' is a "
                            + value.getClass().getSimpleName()
                            + ", which completes after the transaction; publish with OutboxPublisher instead",
                    null);
        }
        return value;
    }

    private IllegalStateException problem(String problem, Exception cause) {
        return new IllegalStateException(
                "@OutboxPublish on " + ClassUtils.getQualifiedMethodName(method) + ": " + problem, cause);
    }
}
