package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.dead.OutboxDlqHandler;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** Dead letters in an application: {@code outbox.publisher.dlq}. */
class DeadLettersTest {

    private static final String ENABLED = "outbox.publisher.dlq.enabled=true";

    private final ApplicationContextRunner runner = TestApplication.runner(Failing.class);

    static class Failing {

        final AtomicBoolean mended = new AtomicBoolean();
        final Queue<String> delivered = new ConcurrentLinkedQueue<>();

        @Bean
        @OutboxListener(eventType = "Failing")
        EventListener failing() {
            return event -> {
                if (!mended.get()) {
                    throw new UnrecoverableException("on purpose");
                }
                delivered.add(event.eventId());
                return DispatchResult.done();
            };
        }
    }

    static class Handlers {

        final Queue<List<OutboxEvent>> batches = new ConcurrentLinkedQueue<>();

        @Bean
        OutboxDlqHandler failingHandler() {
            return events -> {
                throw new IllegalStateException("on purpose");
            };
        }

        @Bean
        OutboxDlqHandler handler() {
            return batches::add;
        }
    }

    private static DeadLetterQueue letters(BeanFactory context) {
        return context.getBean(Outbox.class).deadLetters().orElseThrow();
    }

    private static DeadLetter awaitLetter(BeanFactory context) {
        return await().atMost(Duration.ofSeconds(30))
                .until(() -> letters(context).list(null, 0, 10), found -> !found.isEmpty())
                .get(0);
    }

    @Test
    void anEventThatDiesIsALetterAndItsHandlersAreTold() {
        runner.withUserConfiguration(Handlers.class).withPropertyValues(ENABLED).run(context -> {
            write(context, "Failing", "1");

            DeadLetter letter = awaitLetter(context);

            assertThat(letter.status()).isEqualTo(DlqStatus.MOVED);
            assertThat(letter.failure().error()).contains("on purpose");
            assertThat(rows(context, "outbox_event")).isZero();
            Queue<List<OutboxEvent>> batches = context.getBean(Handlers.class).batches;
            await().atMost(Duration.ofSeconds(30)).until(() -> batches.size() == 1);
            OutboxEvent told = batches.peek().get(0);
            assertThat(told.eventId()).isEqualTo(letter.eventId());
            assertThat(told.payloadJson()).isEqualTo(letter.event().payloadJson());
            assertThat(context.getBean(Outbox.class).status().dead()).isEqualTo(1);
        });
    }

    @Test
    void anApprovedLetterIsDelivered() {
        runner.withPropertyValues(ENABLED).run(context -> {
            write(context, "Failing", "1");
            String id = awaitLetter(context).eventId();
            context.getBean(Failing.class).mended.set(true);

            assertThat(letters(context).retry(List.of(id), "ann").isMade()).isTrue();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> context.getBean(Failing.class).delivered.contains(id));
            assertThat(letters(context).find(id)).isEmpty();
            assertThat(letters(context).attempts(id)).hasSize(1);
        });
    }

    @Test
    void transfersWaitForTheirScheduleIfThereIsOne() {
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.publisher.dlq.transfer-to-fixed-delay=1h",
                        "outbox.publisher.dlq.transfer-from-initial-delay=1h")
                .run(context -> {
                    write(context, "Failing", "1");
                    await().atMost(Duration.ofSeconds(30)).until(() -> deadRows(context) == 1);
                    assertThat(letters(context).list(null, 0, 10)).isEmpty();

                    letters(context).moveDead();
                    String id = awaitLetter(context).eventId();
                    letters(context).retry(List.of(id), "ann");
                    assertThat(letters(context).find(id).orElseThrow().status()).isEqualTo(DlqStatus.TO_RETRY);

                    context.getBean(Failing.class).mended.set(true);
                    letters(context).returnApproved();
                    await().atMost(Duration.ofSeconds(30))
                            .until(() ->
                                    context.getBean(Failing.class).delivered.contains(id));
                });
    }

    @Test
    void aScheduleOfMillisecondsDoesAllByItself() {
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.publisher.dlq.transfer-to-initial-delay=0s",
                        "outbox.publisher.dlq.transfer-to-fixed-delay=50ms",
                        "outbox.publisher.dlq.transfer-from-initial-delay=0s",
                        "outbox.publisher.dlq.transfer-from-fixed-delay=50ms",
                        "outbox.publisher.dlq.clean-up.ttl=0s",
                        "outbox.publisher.dlq.clean-up.initial-delay=0s",
                        "outbox.publisher.dlq.clean-up.fixed-delay=50ms")
                .run(context -> {
                    write(context, "Failing", "1");
                    String first = awaitLetter(context).eventId();
                    context.getBean(Failing.class).mended.set(true);
                    letters(context).retry(List.of(first), null);
                    await().atMost(Duration.ofSeconds(30))
                            .until(() ->
                                    context.getBean(Failing.class).delivered.contains(first));

                    context.getBean(Failing.class).mended.set(false);
                    write(context, "Failing", "2");
                    String second = awaitLetter(context).eventId();
                    letters(context).resolve(List.of(second), "ann");
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> letters(context).find(second).isEmpty());
                });
    }

    @Test
    void tablesAreCreatedOnlyWithDeadLetters() {
        runner.withPropertyValues("outbox.publisher.dlq.enabled=false", "outbox.publisher.dlq.batch-size=5")
                .run(context -> {
                    assertThat(tables(context)).doesNotContain("OUTBOX_DLQ_EVENT");
                    assertThat(context.getBean(Outbox.class).deadLetters()).isEmpty();
                    assertThat(context).doesNotHaveBean(DeadLetterSettings.class);
                });
        runner.withPropertyValues(ENABLED, "outbox.table-name=orders")
                .run(context -> assertThat(tables(context)).contains("ORDERS", "ORDERS_DLQ", "ORDERS_DLQ_ATTEMPT"));
        runner.withPropertyValues(ENABLED, "outbox.publisher.dlq.table-name=morgue")
                .run(context -> assertThat(tables(context)).contains("MORGUE", "MORGUE_ATTEMPT"));
    }

    @Test
    void sharedKeysAreOverriddenKeyByKey() {
        PlainApplication.runner()
                .withPropertyValues(
                        ENABLED,
                        "outbox.publisher.dlq.batch-size=7",
                        "outbox.publisher.dlq.transfer-from-batch-size=9",
                        "outbox.publisher.clean-up.ttl=3h",
                        "outbox.publisher.clean-up.batch-size=70",
                        "outbox.publisher.dlq.clean-up.ttl=30d")
                .run(context -> {
                    DeadLetterSettings settings = context.getBean(DeadLetterSettings.class);
                    DeadLetterPolicy policy = settings.policy();
                    assertThat(settings.atDeath()).isTrue();
                    assertThat(policy.returnsAtOnce()).isTrue();
                    assertThat(policy.sweep())
                            .isEqualTo(
                                    new DeadLetterPolicy.Transfer(7, Duration.ofSeconds(300), Duration.ofSeconds(900)));
                    assertThat(policy.giveBack())
                            .isEqualTo(new DeadLetterPolicy.Transfer(
                                    9, Duration.ofSeconds(300), Duration.ofSeconds(3600)));
                    assertThat(policy.cleanUp())
                            .isEqualTo(new DeadLetterPolicy.CleanUp(
                                    Duration.ofDays(30),
                                    new DeadLetterPolicy.Transfer(70, Duration.ofSeconds(120), Duration.ofSeconds(5))));
                });
    }

    @Test
    void theDefaultsAreThoseOfThePolicy() {
        PlainApplication.runner()
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context.getBean(DeadLetterSettings.class))
                        .isEqualTo(new DeadLetterSettings(null, true, DeadLetterPolicy.DEFAULT)));
    }

    @Test
    void metersHaveTheirNames() {
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.publisher.dlq.metrics.gauge.enabled=true",
                        "outbox.publisher.dlq.metrics.gauge.cache.ttls=0s,0s,0s")
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    write(context, "Failing", "1");
                    write(context, "Failing", "2");
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> letters(context).list(null, 0, 10).size() == 2);
                    List<DeadLetter> both = letters(context).list(null, 0, 10);

                    assertThat(gauge(meters, "outbox.dlq.events")).isEqualTo(2);
                    assertThat(gauge(meters, "outbox.dlq.events.by.status", "status", "moved"))
                            .isEqualTo(2);
                    assertThat(gauge(
                                    meters,
                                    "outbox.dlq.events.by.event.type.and.status",
                                    "event.type",
                                    "Failing",
                                    "status",
                                    "moved"))
                            .isEqualTo(2);
                    letters(context).delete(List.of(both.get(0).eventId()));
                    context.getBean(Failing.class).mended.set(true);
                    letters(context).retry(List.of(both.get(1).eventId()), null);

                    assertThat(gauge(meters, "outbox.dlq.events")).isZero();
                    for (String status : List.of("moved", "in_process", "to_retry")) {
                        assertThat(counter(meters, "outbox.dlq.events.rate", "event.type", "Failing", "status", status))
                                .as(status)
                                .isEqualTo(status.equals("moved") ? 2 : 1);
                    }
                    for (String type : List.of("attempt_move_to_dlq", "success_moved_to_dlq")) {
                        assertThat(counter(meters, "outbox.events.by.type.rate", "type", type))
                                .isEqualTo(2);
                    }
                    for (String type : List.of("attempt_move_to_outbox", "success_moved_to_outbox", "manual_deleted")) {
                        assertThat(counter(meters, "outbox.dlq.events.by.type.rate", "type", type))
                                .as(type)
                                .isEqualTo(1);
                    }
                    assertThat(meters.get("outbox.dlq.transfer.from.duration")
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                });
    }

    private static double gauge(MeterRegistry meters, String name, String... tags) {
        return meters.get(name).tags(tags).gauge().value();
    }

    private static double counter(MeterRegistry meters, String name, String... tags) {
        return meters.get(name).tags(tags).counter().count();
    }

    static class OtherEngine {

        @Bean
        OutboxBackend backend(DataSource dataSource) {
            return JdbcOutbox.of(dataSource).createSchema().backend();
        }
    }

    @Test
    void anEngineWithoutDeadLettersIsRefused() {
        runner.withUserConfiguration(OtherEngine.class)
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("needs a store that keeps dead letters"));
    }

    private static int rows(BeanFactory context, String table) {
        return context.getBean(JdbcTemplate.class).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }

    private static int deadRows(BeanFactory context) {
        return context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class);
    }

    private static List<String> tables(BeanFactory context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList("SELECT table_name FROM information_schema.tables", String.class);
    }
}
