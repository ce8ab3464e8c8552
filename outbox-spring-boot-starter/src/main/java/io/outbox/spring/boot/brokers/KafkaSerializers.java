package io.outbox.spring.boot.brokers;

import io.outbox.OutboxRouter;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.serialization.Serializer;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/**
 * Finds the serializers that event types name: beans, which the application configures, or classes, which are made
 * here.
 */
final class KafkaSerializers {

    private final BeanFactory beans;

    KafkaSerializers(BeanFactory beans) {
        this.beans = beans;
    }

    /** @param producerConfig what a serializer of a producer would be configured with */
    KafkaPayloads of(
            String eventType, OutboxEventProperties event, Map<String, Object> producerConfig, OutboxRouter router) {
        String key = PublisherKeys.ofEvent(eventType, "serializer");
        String name = event.serializer();
        if (beans.containsBean(name)) {
            if (!event.serializerProperties().isEmpty()) {
                throw new InvalidConfigurationPropertyValueException(
                        key, name, "is a bean, which is configured where it is made: remove serializer-properties");
            }
            return new KafkaPayloads(serializer(key, name, beans.getBean(name)), false, router);
        }
        Map<String, Object> config = new HashMap<>(producerConfig);
        config.putAll(event.serializerProperties());
        Serializer<Object> made = serializer(key, name, instance(key, name));
        made.configure(config, false);
        return new KafkaPayloads(made, true, router);
    }

    private static Object instance(String key, String name) {
        try {
            return BeanUtils.instantiateClass(ClassUtils.forName(name, null));
        } catch (ClassNotFoundException | LinkageError | RuntimeException e) {
            throw new InvalidConfigurationPropertyValueException(
                    key, name, "is neither the name of a bean nor of a class that can be made: " + e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Serializer<Object> serializer(String key, String name, Object candidate) {
        if (candidate instanceof Serializer<?> serializer) {
            return (Serializer<Object>) serializer;
        }
        throw new InvalidConfigurationPropertyValueException(
                key,
                name,
                "must be an " + Serializer.class.getName() + ", but is a "
                        + candidate.getClass().getName());
    }
}
