package io.outbox.spring.boot;

import static io.outbox.spring.boot.ConsumerApplication.bill;
import static io.outbox.spring.boot.ConsumerApplication.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.inbox.InvalidEventIdException;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.testservers.support.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** The idempotent consumer as a bean: in which transaction it works, what it is called, and what it needs. */
class IdempotentConsumerTest {

    private static final String ID_HEADER = "outbox_event_id";

    private final ApplicationContextRunner runner = ConsumerApplication.runner();

    private static Map<String, Object> message() {
        return Map.of(ID_HEADER, UUID.randomUUID());
    }

    private static OutboxIdempotentConsumer consumer(ApplicationContext context) {
        return context.getBean(OutboxIdempotentConsumer.class);
    }

    private static List<String> consumers(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList("SELECT DISTINCT consumer FROM outbox_consumed_event", String.class);
    }

    @Test
    void consumesAnEventOnceInATransactionOfItsOwn() {
        runner.run(context -> {
            Map<String, Object> message = message();
            for (int i = 0; i < 3; i++) {
                consumer(context).consume(message, () -> bill(context));
            }
            assertThat(count(context, "bill")).isEqualTo(1);
        });
    }

    @Test
    void consumersOfOtherNamesDoNotTakeEventsFromEachOtherAndAreCleanedUp() {
        runner.withPropertyValues("outbox.consumer.clean-up.ttl=1ms", "outbox.consumer.clean-up.initial-delay=0s")
                .run(context -> {
                    Map<String, Object> message = message();
                    OutboxIdempotentConsumer statistics = consumer(context).named("statistics");
                    consumer(context).consume(message, () -> bill(context));
                    statistics.consume(message, () -> bill(context));

                    assertThat(count(context, "bill")).isEqualTo(2);
                    assertThat(consumer(context).named("statistics")).isSameAs(statistics);
                    assertThatIllegalArgumentException().isThrownBy(() -> statistics.named(" "));
                    await().atMost(Duration.ofSeconds(30))
                            .untilAsserted(() -> assertThat(consumers(context)).isEmpty());
                });
    }

    @Test
    void anExpressionCanGiveTheId() {
        runner.withPropertyValues("outbox.consumer.id-expression=payload + '-' + headers['part']")
                .run(context -> {
                    for (int part : List.of(1, 2, 2)) {
                        consumer(context)
                                .consume(
                                        MessageBuilder.withPayload("4711")
                                                .setHeader("part", part)
                                                .build(),
                                        () -> bill(context));
                    }
                    assertThat(count(context, "bill")).isEqualTo(2);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> consumer(context).consume(Map.of("none", 1), () -> bill(context)))
                            .withMessageContaining("outbox.consumer.id-expression");
                });
        runner.withPropertyValues("outbox.consumer.id-expression=a b")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.consumer.id-expression")
                        .hasStackTraceContaining("is not a SpEL expression"));
    }

    @Test
    void anotherHeaderCanHaveTheId() {
        runner.withPropertyValues("outbox.consumer.id-header=ce_id").run(context -> {
            Map<String, Object> message = Map.of("ce_id", "4711");
            consumer(context).consume(message, () -> bill(context));
            consumer(context).consume(message, () -> bill(context));

            assertThat(count(context, "bill")).isEqualTo(1);
            assertThatExceptionOfType(InvalidEventIdException.class)
                    .isThrownBy(() -> consumer(context).consume(message(), () -> bill(context)))
                    .withMessageContaining("ce_id");
        });
    }

    @Test
    void consumesABatchInOneTransaction() {
        runner.run(context -> {
            Map<String, Object> known = message();
            Map<String, Object> fresh = message();
            consumer(context).consume(known, () -> bill(context));
            List<Map<String, Object>> consumed = new ArrayList<>();

            consumer(context).consume(List.of(known, fresh, fresh), consumed::addAll);

            assertThat(consumed).containsExactly(fresh);
        });
    }

    @Test
    void rollsBackMarkAndEffectAndThrowsWhatWasThrown() {
        runner.run(context -> {
            Map<String, Object> message = message();
            RuntimeException failure = new IllegalStateException("no stock");
            assertThatThrownBy(() -> consumer(context).consume(message, () -> {
                        bill(context);
                        throw failure;
                    }))
                    .isSameAs(failure);
            assertThat(count(context, "bill")).isZero();

            consumer(context).consume(message, () -> bill(context));
            assertThat(count(context, "bill")).isEqualTo(1);
        });
    }

    @Test
    void rollsBackForCheckedExceptionsTooAndThrowsThemAsTheyWere() {
        runner.run(context -> {
            IOException failure = new IOException("no disk");
            Callable<Void> work = () -> {
                bill(context);
                throw failure;
            };
            assertThatThrownBy(() ->
                            context.getBean(JdbcInbox.class).transactions().run(work))
                    .isSameAs(failure);
            assertThat(count(context, "bill")).isZero();
        });
    }

    @Test
    void joinsTheTransactionOfItsCaller() {
        runner.run(context -> {
            Map<String, Object> message = message();
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transactions.executeWithoutResult(transaction -> {
                consumer(context).consume(message, () -> bill(context));
                transaction.setRollbackOnly();
            });
            assertThat(count(context, "bill")).isZero();
            assertThat(count(context, "outbox_consumed_event")).isZero();

            transactions.executeWithoutResult(transaction -> consumer(context).consume(message, () -> bill(context)));
            assertThat(count(context, "bill")).isEqualTo(1);
            assertThat(count(context, "outbox_consumed_event")).isEqualTo(1);
        });
    }

    @Test
    void marksTheTransactionOfItsCallerForRollbackWhenItFails() {
        runner.run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            assertThatThrownBy(() -> transactions.executeWithoutResult(transaction -> {
                        bill(context);
                        assertThatThrownBy(() -> consumer(context).consume(message(), () -> {
                                    throw new IllegalStateException("swallowed by the caller");
                                }))
                                .isInstanceOf(IllegalStateException.class);
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
            assertThat(count(context, "bill")).isZero();
            assertThat(count(context, "outbox_consumed_event")).isZero();
        });
    }

    @Test
    void writesEventsInTheSameTransaction() {
        runner.run(context -> {
            OutboxWriter writer = context.getBean(OutboxWriter.class);
            Map<String, Object> message = message();
            assertThatThrownBy(() -> consumer(context).consume(message, () -> {
                        writer.write("Billed", "{}");
                        throw new IllegalStateException("after the write");
                    }))
                    .hasMessage("after the write");
            assertThat(count(context, "outbox_event")).isZero();
            consumer(context).consume(message, () -> writer.write("Billed", "{}"));
            assertThat(count(context, "outbox_event")).isEqualTo(1);
        });
    }

    @Test
    void readsTheHeadersOfSpringMessages() {
        runner.run(context -> {
            String id = UUID.randomUUID().toString();
            consumer(context)
                    .consume(
                            MessageBuilder.withPayload("1")
                                    .setHeader(ID_HEADER, id)
                                    .build(),
                            () -> bill(context));
            consumer(context)
                    .consume(
                            MessageBuilder.withPayload("1")
                                    .setHeader(ID_HEADER, id.getBytes(StandardCharsets.UTF_8))
                                    .build(),
                            () -> bill(context));
            assertThat(count(context, "bill")).isEqualTo(1);
        });
    }

    @Test
    void refusesMessagesWithoutAnIdOrPassesThemOn() {
        runner.run(context -> assertThatThrownBy(() -> consumer(context).consume(Map.of(), () -> bill(context)))
                .isInstanceOf(InvalidEventIdException.class)
                .hasMessageContaining(ID_HEADER));
        runner.withPropertyValues("outbox.consumer.unidentified=pass-on").run(context -> {
            consumer(context).consume(Map.of(), () -> bill(context));
            consumer(context).consume(Map.of(), () -> bill(context));
            assertThat(count(context, "bill")).isEqualTo(2);
        });
    }

    @Test
    void isCalledAsTheApplicationUnlessItHasANameOfItsOwn() {
        runner.run(context -> {
            consumer(context).consume(message(), () -> bill(context));
            assertThat(consumers(context)).containsExactly("billing");
        });
        runner.withPropertyValues("outbox.consumer.name=invoices").run(context -> {
            consumer(context).consume(message(), () -> bill(context));
            assertThat(consumers(context)).containsExactly("invoices");
        });
    }

    @Test
    void warnsOfTheNameThatEverybodyHas() {
        try (LogLines lines = new LogLines()) {
            runner.withPropertyValues("spring.application.name=").run(context -> {
                consumer(context).consume(message(), () -> bill(context));
                assertThat(consumers(context)).containsExactly(JdbcInbox.DEFAULT_CONSUMER);
            });
            assertThat(lines.at(Level.WARNING))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains("outbox.consumer.name", "spring.application.name", "'default'");
        }
    }

    @Test
    void isNotThereUnlessItIsEnabled() {
        PlainApplication.runner()
                .withConfiguration(ConsumerApplication.AUTO_CONFIGURATION)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(OutboxIdempotentConsumer.class);
                    assertThat(tables(context)).containsExactly("OUTBOX_EVENT");
                });
    }

    @Test
    void needsNoOutboxWhereThePublisherIsOff() {
        runner.withPropertyValues("outbox.publisher.enabled=false").run(context -> {
            consumer(context).consume(message(), () -> bill(context));
            assertThat(tables(context)).containsExactlyInAnyOrder("BILL", "OUTBOX_CONSUMED_EVENT");
            assertThat(context).doesNotHaveBean(Outbox.class).doesNotHaveBean(OutboxWriter.class);
        });
        runner.withPropertyValues("outbox.publisher.enabled=false", "outbox.mode=writer-only")
                .run(context -> assertThat(tables(context)).contains("OUTBOX_EVENT", "OUTBOX_CONSUMED_EVENT"));
    }

    private static List<String> tables(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList(
                        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'PUBLIC'", String.class);
    }

    @Test
    void givesWayToAConsumerOfTheApplication() {
        runner.withUserConfiguration(OwnConsumer.class).run(context -> {
            consumer(context).consume(message(), () -> bill(context));
            assertThat(consumers(context)).containsExactly("own");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnConsumer {
        @Bean
        OutboxIdempotentConsumer billing(JdbcInbox inbox) {
            return inbox.consumer().name("own").build();
        }
    }

    private static SmartLifecycle cleanUp(BeanFactory context) {
        return context.getBean("outboxInboxLifecycle", SmartLifecycle.class);
    }

    @Test
    void startsAndStopsTheCleanUpWithTheApplication() {
        runner.withPropertyValues("outbox.auto-startup=false")
                .run(context -> assertThat(cleanUp(context).isRunning()).isFalse());
        runner.run(context -> {
            SmartLifecycle lifecycle = cleanUp(context);
            assertThat(lifecycle.isRunning()).isTrue();
            context.stop();
            assertThat(lifecycle.isRunning()).isFalse();
            context.start();
            assertThat(lifecycle.isRunning()).isTrue();
        });
    }
}
