package io.outbox.spring.boot.publishing;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** What an attribute of an annotation gives for an event. Parsed once; thread-safe. */
final class AttributeExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final String owner;
    private final String attribute;
    private final Expression expression;

    private AttributeExpression(String owner, String attribute, Expression expression) {
        this.owner = owner;
        this.attribute = attribute;
        this.expression = expression;
    }

    /**
     * Parses an attribute that is an expression as a whole.
     *
     * @param owner the annotation and where it is, for messages
     */
    static AttributeExpression of(String owner, String attribute, String expression) {
        try {
            return new AttributeExpression(owner, attribute, PARSER.parseExpression(expression));
        } catch (ParseException e) {
            throw problem(owner, attribute + " is not a SpEL expression: " + e.getMessage(), e);
        }
    }

    /**
     * Parses an attribute that is a text, which may have expressions in <code>#{…}</code>.
     *
     * @param owner the annotation and where it is, for messages
     */
    static AttributeExpression ofText(String owner, String attribute, String text) {
        try {
            return new AttributeExpression(
                    owner, attribute, PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION));
        } catch (ParseException e) {
            throw problem(owner, attribute + " is not a text with expressions: " + e.getMessage(), e);
        }
    }

    Object value(EvaluationContext context, Object root) {
        return value(context, root, Object.class);
    }

    <T> T value(EvaluationContext context, Object root, Class<T> type) {
        try {
            return expression.getValue(context, root, type);
        } catch (EvaluationException e) {
            throw problem(owner, this + " cannot be evaluated: " + e.getMessage(), e);
        }
    }

    /** Returns the value as a text, which is empty where there is no value. */
    String text(EvaluationContext context, Object root) {
        Object value = value(context, root);
        return value == null ? "" : value.toString();
    }

    /** Returns the attribute and what stands in it. */
    @Override
    public String toString() {
        return attribute + " '" + expression.getExpressionString() + "'";
    }

    static IllegalStateException problem(String owner, String problem, Exception cause) {
        return new IllegalStateException(owner + ": " + problem, cause);
    }
}
