package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A method of the same bean, called before an event of a listener is DEAD. */
class FallbackMethodsTest {

    sealed interface Order permits Placed, Paid {}

    record Placed(String id) implements Order {}

    record Paid(String id) implements Order {}

    static class Seen {
        final List<String> calls = new CopyOnWriteArrayList<>();

        List<String> calls() {
            return calls; // the bean may be a proxy
        }
    }

    @EnableTransactionManagement(proxyTargetClass = true)
    static class Failing extends Seen {
        @OutboxListener(maxAttempts = "2", backoffDelay = "1ms", fallback = "${shop.fallback:giveUp}")
        void on(Order order) {
            calls.add("listener " + order);
            throw new IllegalStateException("no mail server");
        }

        @Transactional
        void giveUp(Exception cause, Order order, EventEnvelope event, DeliveryInfo info) {
            calls.add(order + " " + event.eventType() + " attempt " + info.attempt() + " " + cause.getMessage() + " "
                    + TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    static class Batches extends Seen {
        @OutboxListener(eventType = "Placed", fallback = "one")
        List<DispatchResult> on(List<Placed> orders) {
            return orders.stream()
                    .map(order -> (DispatchResult) DispatchResult.dead("too late"))
                    .toList();
        }

        void one(Throwable cause, String json) {
            calls.add(cause.getMessage() + " " + json);
        }
    }

    static class Named extends Seen {
        @OutboxListener(eventType = "Placed", subscription = "mail", fallback = "giveUp")
        DispatchResult mail(Placed order) {
            return DispatchResult.dead();
        }

        void giveUp(EventEnvelope event) {
            calls.add(event.eventType());
        }
    }

    @OutboxListener(eventType = "Placed")
    static class OfAClass extends Seen implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.dead("no");
        }

        @Override
        public EventFallback fallback() {
            return (event, info, cause) -> calls.add(cause.getMessage());
        }
    }

    private static void publish(ApplicationContext context, Object payload) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish(payload));
    }

    private static void awaitDead(ApplicationContext context, long count) {
        await().until(() -> context.getBean(Outbox.class).deadEvents().count(null) == count);
    }

    private static List<String> calls(ApplicationContext context) {
        return context.getBean(Seen.class).calls();
    }

    @Test
    void getsTheEventAndTheCauseThroughTheProxyOfTheBean() {
        PlainApplication.runner(Failing.class).run(context -> {
            publish(context, new Paid("7"));
            awaitDead(context, 1);
            assertThat(calls(context))
                    .containsExactly(
                            "listener Paid[id=7]",
                            "listener Paid[id=7]",
                            "Paid[id=7] Paid attempt 2 no mail server true");
        });
    }

    @Test
    void eachEventOfABatchHasACall() {
        PlainApplication.runner(Batches.class).run(context -> {
            publish(context, List.of(new Placed("1"), new Placed("2")));
            awaitDead(context, 2);
            assertThat(calls(context)).containsExactlyInAnyOrder("too late {\"id\":\"1\"}", "too late {\"id\":\"2\"}");
        });
    }

    @Test
    void aSubscriptionSeesTheEventAsItWasWritten() {
        PlainApplication.runner(Named.class).run(context -> {
            publish(context, new Placed("1"));
            awaitDead(context, 1);
            assertThat(calls(context)).containsExactly("Placed");
        });
    }

    @Test
    void aClassHasItsOwn() {
        PlainApplication.runner(OfAClass.class).run(context -> {
            publish(context, new Placed("1"));
            awaitDead(context, 1);
            assertThat(calls(context)).containsExactly("no");
        });
    }

    static class Missing {
        @OutboxListener(fallback = "giveup")
        void on(Placed order) {}

        void giveUp(Placed order) {}
    }

    @OutboxListener(eventType = "Placed", fallback = "giveUp")
    static class OnAClass implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @Test
    void mistakesAreExplainedAtTheStart() {
        FailureAnalysis missing = FailedStart.of("", Missing.class);
        assertThat(missing.getDescription())
                .contains("fallbackMethodsTest.Missing.on", "its fallback 'giveup' is the name of no method");
        assertThat(missing.getAction()).contains("Name a method of the same bean");

        FailureAnalysis onAClass = FailedStart.of("", OnAClass.class);
        assertThat(onAClass.getDescription()).contains("fallback is only for methods");
        assertThat(onAClass.getAction()).contains("EventListener.fallback()");
    }
}
