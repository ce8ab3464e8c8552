package io.outbox.spring.boot.brokers;

import io.outbox.BatchEventListener;
import io.outbox.spi.PayloadSerializer;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;

/** Makes the listener that sends events to a broker, from the application's beans for that broker. */
interface Broker {

    SenderType type();

    /**
     * Makes the sender. It does not connect yet, so a broker that is down does not stop the application from starting.
     */
    BatchEventListener create(Request request);

    /** Makes the serializer that an event type of the sender names. */
    PayloadSerializer serializer(String eventType, OutboxEventProperties event, Request request);

    /**
     * What a sender is to do.
     *
     * @param name the sender's name, or {@code null} for the one without
     * @param beanName the template whose settings to use, or {@code null} for the only one
     * @param router where events go
     * @param batchSize the largest number of events sent at once
     */
    record Request(String name, String beanName, BrokerRouter router, int batchSize, Duration emergencyTimeout) {

        /** Returns the name of the sender's settings. */
        String key() {
            return SenderSettings.key(name);
        }

        /**
         * Returns how the sender is called at the broker: after what the application has said or is called, and after
         * the sender.
         *
         * @param given what is said for the application's own connections, or {@code null}
         */
        String clientName(String given, Environment environment) {
            String application = environment.getProperty("spring.application.name", "");
            String base = given != null && !given.isBlank() ? given : application;
            return (base.isBlank() ? "" : base + "-") + "outbox" + (name == null ? "" : "-" + name);
        }

        /** Returns the name of the setting that names the template. */
        String beanNameKey() {
            return key() + ".bean-name";
        }

        /** Returns the bean of the given name. */
        <T> T named(BeanFactory beans, Class<T> type) {
            if (!beans.containsBean(beanName)) {
                throw new InvalidConfigurationPropertyValueException(
                        beanNameKey(), beanName, "there is no bean with this name");
            }
            Object bean = beans.getBean(beanName);
            if (!type.isInstance(bean)) {
                throw new InvalidConfigurationPropertyValueException(
                        beanNameKey(),
                        beanName,
                        "the bean must be a " + type.getSimpleName() + ", but is a "
                                + bean.getClass().getName());
            }
            return type.cast(bean);
        }

        /** Returns the failure for a bean that is not clear without a name. */
        InvalidConfigurationPropertyValueException ambiguous(String type, long candidates) {
            return new InvalidConfigurationPropertyValueException(
                    beanNameKey(),
                    null,
                    candidates == 0
                            ? "there is no " + type + " bean to take the broker's settings from"
                            : "must be set, since there are " + candidates + " " + type + " beans and none is primary");
        }
    }
}
