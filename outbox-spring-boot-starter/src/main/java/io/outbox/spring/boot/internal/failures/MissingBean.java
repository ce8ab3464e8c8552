package io.outbox.spring.boot.internal.failures;

import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.internal.settings.ConsumerDecision;
import io.outbox.spring.boot.internal.settings.ConsumerKeys;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.List;
import java.util.Optional;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** Finds out why there is no bean of the outbox. */
final class MissingBean {

    private final ListableBeanFactory beans;
    private final Environment environment;

    MissingBean(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    record Explanation(String problem, String remedy) {}

    /** Returns why, or empty if nobody knows. */
    Optional<Explanation> explain(Class<?> type) {
        if (isOff("outbox.enabled")) {
            return because("outbox.enabled is false", "Set outbox.enabled=true, or do without the bean");
        }
        if (beans.getBeanNamesForType(OutboxSettings.class, true, false).length == 0) {
            return because(
                    "the auto-configuration of the outbox is not in use",
                    "Use @SpringBootApplication, @EnableAutoConfiguration or @EnableOutbox, and do not exclude"
                            + " OutboxAutoConfiguration");
        }
        if (type == OutboxIdempotentConsumer.class) {
            return because(
                    ConsumerKeys.ENABLED + " is not set",
                    "Set " + ConsumerKeys.ENABLED + "=true, and do not exclude OutboxConsumerAutoConfiguration");
        }
        if (type == JsonCodec.class) {
            return because(
                    "there is no JSON mapper that it could be made from",
                    "Add com.fasterxml.jackson.core:jackson-databind or a JSON starter of Spring Boot; or define a bean of"
                            + " type JsonCodec, as of io.outbox:outbox-gson");
        }
        if (ConsumerDecision.isConsumerOnly(new ExplicitSettings(environment))) {
            return because(
                    "outbox.publisher.enabled is false, and with " + ConsumerKeys.ENABLED + " there is only a consumer",
                    "Set outbox.publisher.enabled=true; or set outbox.mode, as to writer-only, and write with OutboxWriter");
        }
        if (type == OutboxPublisher.class && isOff("outbox.publisher.enabled")) {
            return because(
                    "outbox.publisher.enabled is false",
                    "Set outbox.publisher.enabled=true, or write with OutboxWriter");
        }
        List<String> outboxes = List.of(beans.getBeanNamesForType(Outbox.class, true, false));
        if (outboxes.size() > 1) {
            return because(
                    "there are several outboxes, " + outboxes + ", and none of them is @Primary",
                    "Ask for an Outbox by its name, as with @Qualifier(\"" + outboxes.get(0)
                            + "\"), and write with its writer(); or mark one as @Primary");
        }
        return noEngine();
    }

    private Optional<Explanation> noEngine() {
        SeveralDataSources dataSources = SeveralDataSources.of(beans);
        if (dataSources.areSeveral()) {
            return because(dataSources.problem(), dataSources.remedy());
        }
        return dataSources.candidates().isEmpty()
                ? because(
                        "there is no DataSource that the outbox could be in",
                        "Add the driver of your database and set spring.datasource.url, or define a bean of type"
                                + " DataSource or OutboxBackend")
                : Optional.empty();
    }

    private boolean isOff(String key) {
        return !environment.getProperty(key, boolean.class, true);
    }

    private static Optional<Explanation> because(String problem, String remedy) {
        return Optional.of(new Explanation(problem, remedy));
    }
}
