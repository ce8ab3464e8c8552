package io.outbox.spring.boot.internal.failures;

import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Shows why there is no bean of a feature where one was asked for. Before Spring Boot, which says only that there is
 * none. Made by Spring Boot, which passes what the constructor asks for.
 */
public abstract class MissingBeanAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException>
        implements Ordered {

    private final Set<Class<?>> types;
    private final BeanFactory beans;
    private final Environment environment;

    /** @param types what the feature has beans of */
    protected MissingBeanAnalyzer(Set<Class<?>> types, BeanFactory beans, Environment environment) {
        this.types = types;
        this.beans = beans;
        this.environment = environment;
    }

    /** Why there is no bean, and what to do about it. */
    public record Explanation(String problem, String remedy) {}

    /** Returns why there is none, or empty if nobody knows, where the outbox is in use. */
    protected abstract Optional<Explanation> explain(Class<?> type, ListableBeanFactory beans, Environment environment);

    protected static Optional<Explanation> because(String problem, String remedy) {
        return Optional.of(new Explanation(problem, remedy));
    }

    protected static boolean isOff(String key, Environment environment) {
        return !environment.getProperty(key, boolean.class, true);
    }

    @Override
    public final int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    protected final FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, String injectionPoint) {
        Class<?> type = cause.getBeanType();
        if (type == null
                || !types.contains(type)
                || cause instanceof NoUniqueBeanDefinitionException
                || !(beans instanceof ListableBeanFactory listable)
                || listable.getBeanNamesForType(type, true, false).length > 0) {
            return null;
        }
        return why(type, listable)
                .map(missing -> new FailureAnalysis(
                        (injectionPoint == null ? "The application" : injectionPoint) + " needs a bean of type "
                                + type.getName() + ", and there is none: " + missing.problem() + ".",
                        missing.remedy() + ".",
                        cause))
                .orElse(null);
    }

    private Optional<Explanation> why(Class<?> type, ListableBeanFactory listable) {
        if (isOff("outbox.enabled", environment)) {
            return because("outbox.enabled is false", "Set outbox.enabled=true, or do without the bean");
        }
        if (listable.getBeanNamesForType(OutboxSettings.class, true, false).length == 0) {
            return because(
                    "the auto-configuration of the outbox is not in use",
                    "Use @SpringBootApplication, @EnableAutoConfiguration or @EnableOutbox, and do not exclude"
                            + " OutboxAutoConfiguration. In a test of a part of the application, such as @JdbcTest or"
                            + " @DataJpaTest, add @AutoConfigureOutboxTester of outbox-spring-boot-test");
        }
        return explain(type, listable, environment);
    }
}
