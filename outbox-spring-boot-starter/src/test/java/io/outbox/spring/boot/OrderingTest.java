package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.BlockedKeys;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** Order by key, as a setting. */
class OrderingTest {

    @TempDir
    private Path directory;

    private ApplicationContextRunner onDisk(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop"),
                        "spring.datasource.username=sa")
                .withPropertyValues(properties);
    }

    @Configuration(proxyBeanMethods = false)
    static class Numbers {

        final List<String> received = new CopyOnWriteArrayList<>();

        @Bean
        @OutboxListener(eventType = "Numbered")
        EventListener numberedListener() {
            return event -> {
                received.add(event.payloadJson());
                return DispatchResult.done();
            };
        }
    }

    @Test
    void eventsOfAKeyArriveInTheOrderOfTheirWrites() {
        onDisk("outbox.ordering=key", "outbox.tables.auto-create=true", "outbox.mode=multi-node")
                .withUserConfiguration(Numbers.class)
                .run(context -> {
                    List<String> numbers =
                            IntStream.range(0, 50).mapToObj(String::valueOf).toList();
                    TransactionTemplate transactions = context.getBean(TransactionTemplate.class);

                    numbers.forEach(number -> transactions.executeWithoutResult(status -> context.getBean(Outbox.class)
                            .writer()
                            .write(EventEnvelope.builder("Numbered")
                                    .aggregateId("one")
                                    .payloadJson(number)
                                    .build())));

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Numbers.class).received).isEqualTo(numbers));
                    assertThat(context.getBean(Outbox.class).blockedKeys()).isPresent();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {

        @Bean
        @OutboxListener(eventType = "Numbered")
        EventListener numberedListener() {
            return event -> {
                throw new UnrecoverableException("secret of the payload");
            };
        }
    }

    @Test
    void aBlockedKeyIsInHealthAndMetersWithWhatToDo() {
        onDisk("outbox.ordering=key", "outbox.tables.auto-create=true")
                .withUserConfiguration(Failing.class)
                .run(context -> {
                    Outbox outbox = context.getBean(Outbox.class);
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> outbox.writer().writeAll(List.of(numbered(), numbered())));
                    BlockedKeys blocked = outbox.blockedKeys().orElseThrow();
                    await().until(() -> blocked.figures().keys() == 1);

                    Health health = Health.of(context);
                    assertThat(health.status()).isEqualTo("UP");
                    assertThat(health.detail("blockedKeys").toString())
                            .startsWith("{count=1, waiting=1, countsAreExact=true, keys=[{key=")
                            .contains("eventType=Numbered")
                            .contains("failedBy=io.outbox.UnrecoverableException")
                            .contains("resume the event, or skip it")
                            .doesNotContain("secret");
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("outbox.keyed.blocked").gauge().value())
                            .isEqualTo(1);
                    assertThat(meters.get("outbox.keyed.waiting").gauge().value())
                            .isEqualTo(1);
                    assertThat(meters.get("outbox.keyed.parked").counter().count())
                            .isEqualTo(1);
                });
    }

    private static EventEnvelope numbered() {
        return event("Numbered").build();
    }

    private static EventEnvelope.Builder event(String type) {
        return EventEnvelope.builder(type).aggregateId("one").payloadJson("1");
    }

    @Test
    void howTheOrderIsKeptIsASettingEach() {
        onDisk(
                        "outbox.ordering=key",
                        "outbox.tables.auto-create=true",
                        "outbox.keyed.on-exhausted=skip",
                        "outbox.keyed.locking-writes=true",
                        "outbox.keyed.except-types=Free",
                        "outbox.keyed.except-subscriptions=loose")
                .run(context -> {
                    Ordering ordering =
                            context.getBean(OutboxSettings.class).delivery().ordering();

                    assertThat(ordering.onExhausted()).isEqualTo(Ordering.OnExhausted.SKIP);
                    assertThat(ordering.locksWrites()).isTrue();
                    assertThat(ordering.exceptions()).containsExactly("Free");
                    assertThat(ordering.subscriptionExceptions()).containsExactly("loose");
                });
    }

    @Test
    void anExceptedTypeAndASkippedEventHoldUpNothing() {
        onDisk(
                        "outbox.ordering=key",
                        "outbox.tables.auto-create=true",
                        "outbox.keyed.on-exhausted=skip",
                        "outbox.keyed.except-types=Free")
                .withUserConfiguration(Failing.class)
                .run(context -> {
                    Outbox outbox = context.getBean(Outbox.class);
                    context.getBean(TransactionTemplate.class)
                            .executeWithoutResult(status -> outbox.writer()
                                    .writeAll(List.of(numbered(), event("Free").build())));

                    await().until(() -> outbox.deadEvents().count(null) == 2);
                    assertThat(outbox.blockedKeys().orElseThrow().figures().keys())
                            .isZero();
                });
    }

    @Test
    void theTableStaysAsItIsWithoutIt() {
        onDisk("outbox.tables.auto-create=true").run(context -> {
            assertThat(OutboxSchema.of(context.getBean(DataSource.class)).isKeyed())
                    .isFalse();
            assertThat(context.getBean(Outbox.class).blockedKeys()).isEmpty();
        });
    }

    @Test
    void aTableThatCannotKeepTheOrderIsNamedAtTheStart() {
        onDisk("outbox.tables.auto-create=true")
                .run(context -> assertThat(context).hasNotFailed());

        onDisk("outbox.ordering=key", "outbox.tables.auto-create=false")
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("schema/h2-keyed.sql"));
    }
}
