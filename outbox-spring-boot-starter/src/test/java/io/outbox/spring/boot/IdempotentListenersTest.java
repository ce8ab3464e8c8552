package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AggregateType;
import io.outbox.BatchOutcome;
import io.outbox.BoundEventListener;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Listeners of the outbox with {@link Idempotent}: an event has its effect once, however often it is delivered. */
class IdempotentListenersTest {

    private static ApplicationContextRunner application(Class<?>... listeners) {
        return ConsumerApplication.runner(listeners)
                .withPropertyValues(
                        "outbox.poller.interval-ms=20", "outbox.retry.base-delay-ms=1", "outbox.retry.max-delay-ms=1");
    }

    /** What a listener does: an effect that is rolled back in the first attempt. */
    private static void bill(JdbcTemplate jdbc, DeliveryInfo info) {
        jdbc.update("INSERT INTO bill (item) VALUES ('book')");
        if (info.attempt() == 1) {
            throw new IllegalStateException("after the effect");
        }
    }

    /** Has an event delivered once more that was delivered already, as after a crash before it was marked as done. */
    private static void deliverAgain(ApplicationContext context) {
        awaitDone(context);
        ConsumerApplication.jdbc(context)
                .update("UPDATE outbox_event SET status = 0, done_at = NULL, available_at = created_at");
        awaitDone(context);
    }

    private static void awaitDone(ApplicationContext context) {
        await().untilAsserted(
                        () -> assertThat(context.getBean(Outbox.class).counts()).isEmpty());
    }

    private static void assertOneEffectOfTwoDeliveries(ApplicationContext context, String consumer) {
        Deliveries.write(context, "Placed", "1");
        deliverAgain(context);
        assertThat(ConsumerApplication.count(context, "bill")).isEqualTo(1);
        assertThat(ConsumerApplication.jdbc(context)
                        .queryForList("SELECT consumer FROM outbox_consumed_event", String.class))
                .containsExactly(consumer);
    }

    static class OnMethod {
        private final JdbcTemplate jdbc;

        OnMethod(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxListener(eventType = "Placed")
        @Idempotent
        void on(String order, DeliveryInfo info) {
            bill(jdbc, info);
        }
    }

    @Test
    void aMethod() {
        application()
                .withBean("bills", OnMethod.class)
                .run(context -> assertOneEffectOfTwoDeliveries(context, "billing/bills.on"));
    }

    @Idempotent(consumer = "${bills.consumer}")
    static class OnClass {
        private final JdbcTemplate jdbc;

        OnClass(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxListener(eventType = "Placed", name = "bill")
        void on(String order, DeliveryInfo info) {
            bill(jdbc, info);
        }
    }

    @Test
    void allMethodsOfAClassWithANameThatStays() {
        application()
                .withBean("bills", OnClass.class)
                .withPropertyValues("bills.consumer=bills-of-2026")
                .run(context -> assertOneEffectOfTwoDeliveries(context, "bills-of-2026"));
    }

    static class OfBatches {
        private final JdbcTemplate jdbc;

        OfBatches(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @OutboxListener(eventType = "Placed", name = "bills")
        @Idempotent
        List<BatchOutcome> on(List<EventEnvelope> events, List<DeliveryInfo> infos) {
            infos.forEach(info -> bill(jdbc, info));
            return events.stream().map(event -> BatchOutcome.done()).toList();
        }
    }

    @Test
    void aMethodForBatches() {
        application()
                .withBean(OfBatches.class)
                .run(context -> assertOneEffectOfTwoDeliveries(context, "billing/bills"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OnBean {
        @Bean
        @OutboxListener(eventType = "Placed")
        @Idempotent
        EventListener bills(JdbcTemplate jdbc) {
            return EventListener.informed((event, info) -> {
                bill(jdbc, info);
                return DispatchResult.done();
            });
        }
    }

    @Test
    void aBean() {
        application(OnBean.class).run(context -> assertOneEffectOfTwoDeliveries(context, "billing/bills"));
    }

    @Idempotent
    static class Bound extends BoundEventListener {
        private final JdbcTemplate jdbc;

        Bound(JdbcTemplate jdbc) {
            super(AggregateType.GLOBAL.name(), "Placed");
            this.jdbc = jdbc;
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            jdbc.update("INSERT INTO bill (item) VALUES ('book')");
            return DispatchResult.done();
        }
    }

    @Test
    void aBoundListener() {
        application()
                .withBean("bills", Bound.class)
                .run(context -> assertOneEffectOfTwoDeliveries(context, "billing/bills"));
    }

    @Test
    void withoutAConsumerTheApplicationDoesNotStart() {
        application()
                .withBean("bills", OnMethod.class)
                .withPropertyValues("outbox.consumer.enabled=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("bills.on")
                        .hasStackTraceContaining("outbox.consumer.enabled=true"));
    }

    static class TooLong {
        @OutboxListener(eventType = "Placed")
        @Idempotent
        void on(String order) {}
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        application()
                .withBean("b".repeat(128), TooLong.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("128 characters")
                        .hasStackTraceContaining("@Idempotent(consumer = …)"));
    }

    static class OnAnEventListenerOfSpring {

        @Idempotent
        @org.springframework.context.event.EventListener
        void on(String event) {}
    }

    static class OnAPlainMethod {

        @Idempotent
        void on(String event) {}
    }

    @Idempotent
    static class OnAClassWithoutListeners {}

    @ParameterizedTest
    @ValueSource(classes = {OnAnEventListenerOfSpring.class, OnAPlainMethod.class, OnAClassWithoutListeners.class})
    void whatIsNoListenerOfOursIsRefused(Class<?> type) {
        Bills.application(type)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(type.getName())
                        .hasStackTraceContaining("has @Idempotent, but is not a supported listener"));
    }
}
