package io.outbox.spring.boot.brokers;

import io.outbox.EventException;
import io.outbox.UnrecoverableException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The text of a setting, which may have expressions in <code>#{…}</code> over a {@link RoutedEvent}. Parsed once;
 * thread-safe.
 */
final class RouteText {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final EvaluationContext READ_ONLY = SimpleEvaluationContext.forPropertyAccessors(
                    new MapKeys(), DataBindingPropertyAccessor.forReadOnlyAccess())
            .withInstanceMethods()
            .withAssignmentDisabled()
            .build();

    private final String key;
    private final String text;
    private final List<Expression> parts;

    /**
     * Parses a text.
     *
     * @param key the name of the setting
     * @throws InvalidConfigurationPropertyValueException if an expression is none
     */
    RouteText(String key, String text) {
        this.key = key;
        this.text = text;
        try {
            Expression parsed = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
            this.parts = parsed instanceof CompositeStringExpression composed
                    ? List.of(composed.getExpressions())
                    : List.of(parsed);
        } catch (ParseException | IllegalStateException e) {
            throw refused("is not a text with expressions in #{…}: " + e.getMessage());
        }
    }

    boolean isConstant() {
        return parts.stream().allMatch(LiteralExpression.class::isInstance);
    }

    /** Returns the properties of an event that the expressions read. */
    Set<String> properties() {
        Set<String> names = new HashSet<>();
        parts.forEach(part -> {
            if (part instanceof SpelExpression expression) {
                addProperties(expression.getAST(), names);
            }
        });
        return names;
    }

    private static void addProperties(SpelNode node, Set<String> names) {
        if (node instanceof PropertyOrFieldReference property) {
            names.add(property.getName());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean isOfAnother =
                    node instanceof CompoundExpression && i > 0 && child instanceof PropertyOrFieldReference;
            if (!isOfAnother) {
                addProperties(child, names);
            }
        }
    }

    /**
     * Returns what the text is for an event: of a lone expression its value, which may be {@code null}; else the text.
     *
     * @throws UnrecoverableException if an expression fails, or gives nothing to put into the text around it
     */
    Object value(RoutedEvent event) {
        if (parts.size() == 1) {
            return value(parts.get(0), event);
        }
        StringBuilder composed = new StringBuilder();
        for (Expression part : parts) {
            Object value = value(part, event);
            if (value == null) {
                throw failed(event, "#{" + part.getExpressionString() + "} is null", null);
            }
            composed.append(value);
        }
        return composed.toString();
    }

    private Object value(Expression part, RoutedEvent event) {
        try {
            return part.getValue(READ_ONLY, event);
        } catch (EvaluationException | IllegalStateException e) {
            throw failed(event, reason(e), e);
        }
    }

    /** Returns why the event could not be read, if that is what went wrong, and else what the expression says. */
    private static String reason(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof EventException) {
                return cause.getMessage();
            }
        }
        return failure.getMessage();
    }

    /** Returns the failure of an event for which the text is of no use. */
    UnrecoverableException failed(RoutedEvent event, String reason, Exception cause) {
        return new UnrecoverableException(
                "Event " + event.getEventId() + " of type '" + event.getEventType() + "' has no route: " + key + " '"
                        + text + "' cannot be used: " + reason,
                cause);
    }

    /** Returns the failure of the application's start for which the text is of no use. */
    InvalidConfigurationPropertyValueException refused(String reason) {
        return new InvalidConfigurationPropertyValueException(key, text, reason);
    }
}
