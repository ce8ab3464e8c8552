package io.outbox.spring.boot.consumer;

import io.outbox.inbox.EventIdExtractor;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** Finds the ids of events by an expression over their messages, which has no beans and no types. Thread-safe. */
final class IdExpression implements EventIdExtractor<Object> {

    private static final EvaluationContext CONTEXT = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    private final Expression expression;

    private IdExpression(Expression expression) {
        this.expression = expression;
    }

    /** Returns what evaluates the expression; one that is none is refused by the name of its setting. */
    static IdExpression of(String text) {
        try {
            return new IdExpression(new SpelExpressionParser().parseExpression(text));
        } catch (ParseException e) {
            FeatureSettings.require(
                    false, ConsumerKeys.of("id-expression"), text, "is not a SpEL expression: " + e.getMessage());
            throw e;
        }
    }

    @Override
    public String eventIdOf(Object message) {
        try {
            Object id = expression.getValue(CONTEXT, message);
            return id == null ? null : id.toString();
        } catch (EvaluationException e) {
            throw new IllegalStateException(
                    ConsumerKeys.of("id-expression") + " '" + expression.getExpressionString()
                            + "' cannot be evaluated for a "
                            + message.getClass().getName() + ": " + e.getMessage(),
                    e);
        }
    }
}
