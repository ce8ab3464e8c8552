package io.outbox.spring.boot.internal.failures;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.util.ClassUtils;

/**
 * Says what a setting of the outbox takes that has a value of another type. Before Spring Boot, which names Java types.
 */
final class SettingTypeFailureAnalyzer extends AbstractFailureAnalyzer<BindException> implements Ordered {

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        String wanted =
                property == null ? null : wanted(cause.getTarget().getType().resolve(Object.class));
        if (wanted == null
                || !property.getName().toString().startsWith("outbox.")
                || !(cause.getCause() instanceof ConversionFailedException)) {
            return null;
        }
        String origin = property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
        return new FailureAnalysis(
                "Property " + property.getName() + " has the value '" + property.getValue() + "'" + origin
                        + ", but must be " + wanted + ".",
                "Correct the value of " + property.getName() + ", or remove it to use the default.",
                cause);
    }

    private static String wanted(Class<?> type) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        if (boxed == Integer.class || boxed == Long.class) {
            return "a whole number";
        }
        if (boxed == Double.class) {
            return "a number";
        }
        if (boxed == Boolean.class) {
            return "true or false";
        }
        if (boxed == Duration.class) {
            return "a time with its unit, such as 200ms, 5s, 10m, 1h or 7d";
        }
        return boxed.isEnum()
                ? "one of "
                        + Arrays.stream(boxed.getEnumConstants())
                                .map(each -> ((Enum<?>) each)
                                        .name()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', '-'))
                                .collect(Collectors.joining(", "))
                : null;
    }
}
