package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.OutboxPublish;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.util.ClassUtils;

/** What a method with {@link OutboxPublish} publishes. Checked when it is made; thread-safe. */
final class Publication {

    private static final String RESULT = "result";
    private static final String PAYLOAD = "payload";
    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final String eventType;
    private final String outbox;
    private final AttributeExpression payload;
    private final AttributeExpression condition;
    private final DraftTexts texts;

    Publication(Method method, OutboxPublish annotation, UnaryOperator<String> placeholders) {
        this.method = method;
        this.eventType = annotation.eventType();
        this.outbox = placeholders.apply(annotation.outbox());
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw problem("the method must not be private, static or final, since a proxy cannot intercept it", null);
        }
        if (eventType.isBlank()) {
            throw problem("eventType must not be blank", null);
        }
        String published = annotation.payload().isBlank() ? "#" + RESULT : annotation.payload();
        if (method.getReturnType() == void.class && published.equals("#" + RESULT)) {
            throw problem(
                    "the method returns nothing; give a payload, such as the name of a parameter: \"#order\"", null);
        }
        this.payload = AttributeExpression.of(described(), PAYLOAD, published);
        this.condition = annotation.condition().isBlank()
                ? null
                : AttributeExpression.of(described(), "condition", annotation.condition());
        this.texts = texts(annotation, placeholders);
    }

    private DraftTexts texts(OutboxPublish annotation, UnaryOperator<String> placeholders) {
        Stream.of(
                        annotation.aggregateType(),
                        annotation.aggregateId(),
                        annotation.key(),
                        annotation.tenant(),
                        annotation.delay())
                .filter(text -> text.startsWith("#") && !text.contains("#{"))
                .findFirst()
                .ifPresent(text -> {
                    throw problem("'" + text + "' is a constant text; an expression must be put in #{…}", null);
                });
        return new DraftTexts(described(), placeholders)
                .aggregate(annotation.aggregateType(), annotation.aggregateId())
                .key(annotation.key())
                .tenant(annotation.tenant())
                .headers(annotation.headers())
                .delay(annotation.delay());
    }

    /** Returns the name of the outbox; the empty text is that of the publisher that is a bean. */
    String outbox() {
        return outbox;
    }

    /** Publishes what a call of the method has for an event, or for several. */
    void publish(OutboxPublisher publisher, Call call) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(call.target(), method, call.arguments(), PARAMETER_NAMES);
        context.setVariable(RESULT, call.result());
        context.setBeanResolver(call.beans());
        Object value = payload.value(context, call.target());
        if (value instanceof Collection<?> all) {
            publishAll(publisher, all, context, call.target());
        } else if (value instanceof Object[] all) {
            publishAll(publisher, Arrays.asList(all), context, call.target());
        } else if (isWanted(value, context, call.target())) {
            publishOne(publisher, present(value), context, call.target());
        }
    }

    private void publishAll(
            OutboxPublisher publisher, Collection<?> all, MethodBasedEvaluationContext context, Object target) {
        List<Object> wanted = new ArrayList<>(all.size());
        for (Object one : all) {
            if (isWanted(one, context, target)) {
                wanted.add(present(one));
            }
        }
        if (texts.isEmpty()) {
            publisher.publish(eventType, wanted);
        } else {
            wanted.forEach(one -> publishOne(publisher, one, context, target));
        }
    }

    private boolean isWanted(Object published, MethodBasedEvaluationContext context, Object target) {
        return condition == null
                || Boolean.TRUE.equals(condition.value(about(published, context), target, Boolean.class));
    }

    private void publishOne(
            OutboxPublisher publisher, Object published, MethodBasedEvaluationContext context, Object target) {
        if (texts.isEmpty()) {
            publisher.publish(eventType, published);
            return;
        }
        OutboxPublisher.Draft draft = publisher.event(eventType);
        texts.addTo(draft, about(published, context), target);
        draft.publish(published);
    }

    /** Makes known which event it is about. Parameters are made known on demand, and would get in the way later. */
    private static EvaluationContext about(Object published, MethodBasedEvaluationContext context) {
        context.lookupVariable(PAYLOAD);
        context.setVariable(PAYLOAD, published);
        return context;
    }

    private Object present(Object value) {
        if (value == null) {
            throw problem(payload + " is or contains null, so there is nothing to publish", null);
        }
        if (value instanceof Future<?>) {
            throw problem(
                    payload + " is a "
                            + value.getClass().getSimpleName()
                            + ", which completes after the transaction; publish with OutboxPublisher instead",
                    null);
        }
        return value;
    }

    private String described() {
        return "@OutboxPublish on " + ClassUtils.getQualifiedMethodName(method);
    }

    private IllegalStateException problem(String problem, Exception cause) {
        return AttributeExpression.problem(described(), problem, cause);
    }

    /** A call of the method that has returned. */
    record Call(Object target, Object[] arguments, Object result, BeanResolver beans) {}
}
