package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Configuration with a listener for events of type "Placed" that remembers them, and what tests do with it. */
class Deliveries {

    final Queue<EventEnvelope> events = new ConcurrentLinkedQueue<>();

    @Bean
    @OutboxListener(eventType = "Placed")
    EventListener placed() {
        return event -> {
            events.add(event);
            return DispatchResult.done();
        };
    }

    static void write(BeanFactory context, String eventType, String payload) {
        inTransaction(context, () -> context.getBean(OutboxWriter.class).write(eventType, payload));
    }

    static void inTransaction(BeanFactory context, Runnable work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx -> work.run());
    }

    static void awaitPayloads(BeanFactory context, String... payloads) {
        Queue<EventEnvelope> events = context.getBean(Deliveries.class).events;
        await().untilAsserted(() ->
                assertThat(events).extracting(EventEnvelope::payloadJson).containsExactlyInAnyOrder(payloads));
    }
}
