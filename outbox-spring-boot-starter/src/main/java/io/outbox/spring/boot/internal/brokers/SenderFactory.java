package io.outbox.spring.boot.internal.brokers;

import io.outbox.BatchEventListener;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.time.Duration;
import java.util.Map;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Makes the listener that sends events to a broker, from the application's beans for that broker. */
public interface SenderFactory {

    String BEAN_NAME_KEY = PublisherKeys.of("sender.bean-name");

    SenderType type();

    /** Makes the sender. It does not connect yet, so a broker that is down does not stop the application from starting. */
    BatchEventListener create(Request request);

    /**
     * What a sender is to do.
     *
     * @param beanName the template whose settings to use, or {@code null} for the only one
     * @param topics where the events of each type go
     * @param batchSize the largest number of events sent at once
     */
    record Request(String beanName, Map<String, String> topics, int batchSize, Duration emergencyTimeout) {

        /** Returns the bean of the given name. */
        <T> T named(BeanFactory beans, Class<T> type) {
            if (!beans.containsBean(beanName)) {
                throw new InvalidConfigurationPropertyValueException(
                        BEAN_NAME_KEY, beanName, "there is no bean with this name");
            }
            Object bean = beans.getBean(beanName);
            if (!type.isInstance(bean)) {
                throw new InvalidConfigurationPropertyValueException(
                        BEAN_NAME_KEY,
                        beanName,
                        "the bean must be a " + type.getSimpleName() + ", but is a "
                                + bean.getClass().getName());
            }
            return type.cast(bean);
        }

        /** Returns the failure for a bean that is not clear without a name. */
        InvalidConfigurationPropertyValueException ambiguous(String type, long candidates) {
            return new InvalidConfigurationPropertyValueException(
                    BEAN_NAME_KEY,
                    null,
                    candidates == 0
                            ? "there is no " + type + " bean to take the broker's settings from"
                            : "must be set, since there are " + candidates + " " + type + " beans and none is primary");
        }
    }
}
