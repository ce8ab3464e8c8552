package io.outbox.spring.boot.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutboxHeaders;
import io.outbox.inbox.InboxCleanUp;
import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.inbox.Unidentified;
import io.outbox.spring.boot.ConsumerApplication;
import io.outbox.spring.boot.PlainApplication;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Level;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The consumer's settings: what they mean, and what is refused. */
class OutboxConsumerPropertiesTest {

    private final ApplicationContextRunner runner = ConsumerApplication.runner();

    @ParameterizedTest
    @CsvSource({
        "outbox.consumer.name,''",
        "outbox.consumer.cache.cache-name,''",
        // keys that do not exist
        "outbox.consumer.clean-up.time-to-live,1h",
        "outbox.consumer.cache.name,consumed"
    })
    void refusesToStartWithABadValueAndNamesTheKey(String key, String value) {
        assertRefused(key, runner.withPropertyValues(key + "=" + value));
    }

    private static void assertRefused(String key, ApplicationContextRunner application) {
        application.run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(key));
    }

    @Test
    void refusesACacheWithoutAName() {
        assertRefused(
                "outbox.consumer.cache.cache-name", runner.withPropertyValues("outbox.consumer.cache.enabled=true"));
    }

    @Test
    void refusesAnApplicationNameThatIsNoneForAConsumer() {
        String tooLong = "a".repeat(129);
        assertRefused("spring.application.name", runner.withPropertyValues("spring.application.name=" + tooLong));
        runner.withPropertyValues("spring.application.name=" + tooLong, "outbox.consumer.name=a")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void hasDefaults() {
        runner.run(context -> assertThat(context.getBean(ConsumerSettings.class))
                .isEqualTo(new ConsumerSettings(
                        "billing",
                        InboxSchema.DEFAULT_TABLE,
                        OutboxHeaders.EVENT_ID.getValue(),
                        Optional.empty(),
                        Unidentified.REFUSE,
                        Optional.of(new ConsumerSettings.CleanUp(
                                InboxCleanUp.DEFAULT_BATCH_SIZE,
                                Duration.ofHours(24),
                                Duration.ofSeconds(120),
                                Duration.ofSeconds(5))),
                        Optional.empty())));
    }

    @Test
    void takesWhatIsSet() {
        runner.withPropertyValues(
                        "outbox.consumer.name=invoices",
                        "outbox.consumer.table-name=consumed",
                        "outbox.consumer.id-header=ce_id",
                        "outbox.consumer.unidentified=pass-on",
                        "outbox.consumer.clean-up.batch-size=7",
                        "outbox.consumer.clean-up.ttl=2h",
                        "outbox.consumer.clean-up.initial-delay=0s",
                        "outbox.consumer.clean-up.fixed-delay=120s")
                .run(context -> {
                    assertThat(context.getBean(ConsumerSettings.class))
                            .isEqualTo(new ConsumerSettings(
                                    "invoices",
                                    "consumed",
                                    "ce_id",
                                    Optional.empty(),
                                    Unidentified.PASS_ON,
                                    Optional.of(new ConsumerSettings.CleanUp(
                                            7, Duration.ofHours(2), Duration.ZERO, Duration.ofSeconds(120))),
                                    Optional.empty()));
                    context.getBean(OutboxIdempotentConsumer.class).consumeById("1", () -> {});
                    assertThat(ConsumerApplication.count(context, "consumed")).isEqualTo(1);
                });
    }

    /** Its default is the one of the words in which the consumer is configured. */
    @Test
    void createsItsTableInAnyDatabaseUnlessItIsToldNotTo() {
        runner.run(context -> assertThat(
                        context.getBean(OutboxSettings.class).table().initialize())
                .isEqualTo(DatabaseInitializationMode.ALWAYS));
        runner.withPropertyValues("outbox.tables.auto-create=false", "outbox.publisher.enabled=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox_consumed_event cannot be used: it does not exist")
                        .hasStackTraceContaining("schema/flyway-inbox/{vendor}"));
        runner.withPropertyValues("outbox.schema.initialize=never", "outbox.publisher.enabled=false")
                .run(context -> assertThat(context).hasFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox.poller.interval=5s", "outbox.purge.enabled=true", "outbox.table-name=orders"})
    void warnsOfSettingsOfAnOutboxWhereThereIsNone(String setting) {
        String key = setting.replaceAll("(\\.interval|\\.enabled)?=.*", "");
        try (LogLines lines = new LogLines()) {
            ConsumerApplication.runner()
                    .withPropertyValues("outbox.publisher.enabled=false", setting)
                    .run(context -> assertThat(lines.at(Level.WARNING))
                            .anySatisfy(line -> assertThat(line).contains(key, "has no effect", "only consumes")));
        }
    }

    @Test
    void warnsOfSettingsOfACleanUpThatIsTurnedOff() {
        try (LogLines lines = new LogLines()) {
            ConsumerApplication.runner()
                    .withPropertyValues("outbox.consumer.clean-up.enabled=false", "outbox.consumer.clean-up.ttl=2d")
                    .run(context -> assertThat(lines.at(Level.WARNING))
                            .anySatisfy(line -> assertThat(line)
                                    .contains("outbox.consumer.clean-up.ttl", "has no effect", "marks are kept")));
        }
    }

    @Test
    void warnsOfSettingsWithoutAConsumer() {
        try (LogLines lines = new LogLines()) {
            PlainApplication.runner()
                    .withConfiguration(ConsumerApplication.AUTO_CONFIGURATION)
                    .withPropertyValues("outbox.consumer.cache.cache-name=consumed")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(lines.at(Level.WARNING))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains("outbox.consumer", "outbox.consumer.enabled=true");
        }
    }
}
