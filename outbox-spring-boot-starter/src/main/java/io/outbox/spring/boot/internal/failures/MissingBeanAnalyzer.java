package io.outbox.spring.boot.internal.failures;

import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spi.JsonCodec;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Shows why there is no bean of the outbox where one was asked for. Before Spring Boot, which says only that there is none. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class MissingBeanAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private static final Set<Class<?>> TYPES = Set.of(
            Outbox.class, OutboxIdempotentConsumer.class, OutboxPublisher.class, OutboxWriter.class, JsonCodec.class);

    private final BeanFactory beans;
    private final Environment environment;

    MissingBeanAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, String injectionPoint) {
        Class<?> type = cause.getBeanType();
        if (type == null
                || !TYPES.contains(type)
                || cause instanceof NoUniqueBeanDefinitionException
                || !(beans instanceof ListableBeanFactory listable)
                || listable.getBeanNamesForType(type, true, false).length > 0) {
            return null;
        }
        return new MissingBean(listable, environment)
                .explain(type)
                .map(missing -> new FailureAnalysis(
                        (injectionPoint == null ? "The application" : injectionPoint) + " needs a bean of type "
                                + type.getName() + ", and there is none: " + missing.problem() + ".",
                        missing.remedy() + ".",
                        cause))
                .orElse(null);
    }
}
