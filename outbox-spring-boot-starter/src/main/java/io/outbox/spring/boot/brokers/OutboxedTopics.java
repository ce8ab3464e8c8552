package io.outbox.spring.boot.brokers;

import io.outbox.spring.boot.Outboxed;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.spring.boot.internal.texts.OutboxedClasses;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Makes the topics on classes with {@link Outboxed} settings of their event types, behind all others: whatever is set
 * for a type counts before its class, and everything that reads settings knows the types. Classes are looked for only
 * where there is a sender.
 */
final class OutboxedTopics implements BeanFactoryPostProcessor, PriorityOrdered {

    private static final String NAME = "topics of @Outboxed classes";

    private final ConfigurableEnvironment environment;

    OutboxedTopics(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        ExplicitSettings explicit = new ExplicitSettings(environment);
        boolean hasSender =
                explicit.hasAnyBelow(PublisherKeys.of("sender")) || explicit.hasAnyBelow(PublisherKeys.of("senders"));
        if (!hasSender || AotDetector.useGeneratedArtifacts()) {
            return;
        }
        Map<String, Object> topics = new LinkedHashMap<>();
        for (Class<?> type : OutboxedClasses.in(beans)) {
            Outboxed annotation = AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class);
            if (annotation != null && !annotation.topic().isEmpty()) {
                topics.put(PublisherKeys.ofEvent(eventType(type), "topic"), annotation.topic());
            }
        }
        if (!topics.isEmpty()) {
            environment.getPropertySources().addLast(new MapPropertySource(NAME, topics));
        }
    }

    private String eventType(Class<?> type) {
        String eventType = OutboxedClasses.typeOf(type);
        if (eventType == null) {
            throw new IllegalStateException("@Outboxed on " + type.getName()
                    + ": a class with a topic needs a type without expressions, since the topic belongs to the type;"
                    + " name the topics in " + PublisherKeys.of("events.<type>.topic"));
        }
        return environment.resolvePlaceholders(eventType);
    }
}
