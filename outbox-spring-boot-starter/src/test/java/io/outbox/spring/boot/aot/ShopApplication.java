package io.outbox.spring.boot.aot;

import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxPublish;
import io.outbox.spring.boot.Outboxed;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An application with listeners and events of every kind, which trades once and tells what was delivered. */
@SpringBootApplication(
        proxyBeanMethods = false,
        excludeName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
        })
public class ShopApplication {

    static final String DELIVERED = "delivered: ";

    static final List<String> EXPECTED = List.of(
            "placed OrderPlaced[id=1, items=[Item[name=book]]]",
            "audited OrderPlaced[id=1, items=[Item[name=book]]] at attempt 1",
            "shipped [Parcel[id=1]]",
            "paid OrderPaid[id=1, price=Price[cents=250]] with 250",
            "cancelled order-2",
            "renamed {\"id\":3}",
            "returned {\"id\":\"4\"}");

    record Item(String name) {}

    record OrderPlaced(String id, List<Item> items) {}

    record Shipment(String id) {}

    /** A shipment as its receiver sees it. */
    record Parcel(String id) {}

    record Returned(String id) {}

    record Price(int cents) {}

    @Outboxed(
            type = "${shop.paid}",
            aggregateType = "Order",
            aggregateId = "#{id}",
            headers = "cents: #{price.cents()}")
    record OrderPaid(String id, Price price) {}

    @Outboxed(aggregateId = "#{key()}")
    interface DomainEvent {
        String key();
    }

    record OrderCancelled(String id) implements DomainEvent {
        @Override
        public String key() {
            return "order-" + id;
        }
    }

    static class Renamed implements EventType {
        @Override
        public String name() {
            return "Renamed";
        }
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @OutboxListener(concurrency = "2")
    @interface Audited {
        @AliasFor(annotation = OutboxListener.class, attribute = "subscription")
        String value();
    }

    @Component
    static class Listeners {

        private final Deliveries deliveries;

        Listeners(Deliveries deliveries) {
            this.deliveries = deliveries;
        }

        @OutboxListener(name = "placed", maxAttempts = "${shop.attempts}", backoffDelay = "10ms")
        void placed(OrderPlaced event) {
            deliveries.add("placed " + event);
        }

        @Audited("audit")
        @Idempotent
        void audited(OrderPlaced event, DeliveryInfo info) {
            assertMarking();
            deliveries.add("audited " + event + " at attempt " + info.attempt());
        }

        private static void assertMarking() {
            if (!TransactionSynchronizationManager.isActualTransactionActive()) {
                throw new IllegalStateException("an idempotent listener is called in the transaction of its mark");
            }
        }

        @OutboxListener(eventType = "Shipped", batchSize = "10")
        void shipped(List<Parcel> payloads, List<EventEnvelope> events) {
            deliveries.add("shipped " + payloads);
        }

        @OutboxListener(aggregateType = "Order")
        void paid(OrderPaid event, EventEnvelope envelope) {
            deliveries.add("paid " + event + " with " + envelope.headers().get("cents"));
        }

        @OutboxListener(eventType = "OrderCancelled")
        void cancelled(EventEnvelope event) {
            deliveries.add("cancelled " + event.aggregateId());
        }
    }

    @OutboxListener(eventTypeClass = Renamed.class)
    static class RenamedListener implements EventListener {

        private final Deliveries deliveries;

        RenamedListener(Deliveries deliveries) {
            this.deliveries = deliveries;
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            deliveries.add("renamed " + event.payloadJson());
            return DispatchResult.done();
        }
    }

    @Bean
    @OutboxListener(eventType = "Returned")
    EventListener returned(Deliveries deliveries) {
        return event -> {
            deliveries.add("returned " + event.payloadJson());
            return DispatchResult.done();
        };
    }

    @Service
    static class Returns {

        @OutboxPublish(eventType = "Returned", payload = "#returned")
        public void accept(Returned returned) {}
    }

    @Service
    static class Orders {

        private final OutboxPublisher publisher;
        private final ApplicationEventPublisher events;
        private final Returns returns;

        Orders(OutboxPublisher publisher, ApplicationEventPublisher events, Returns returns) {
            this.publisher = publisher;
            this.events = events;
            this.returns = returns;
        }

        @Transactional
        public void trade() {
            publisher.publish("OrderPlaced", new OrderPlaced("1", List.of(new Item("book"))));
            publisher.publish("Renamed", "{\"id\":3}");
            returns.accept(new Returned("4"));
            events.publishEvent(new OrderPaid("1", new Price(250)));
            events.publishEvent(new OrderCancelled("2"));
        }

        @Transactional
        @OutboxPublish(eventType = "Shipped")
        public List<Shipment> ship(String... ids) {
            return Arrays.stream(ids).map(Shipment::new).toList();
        }
    }

    @Component
    static class Deliveries {

        private final CountDownLatch expected = new CountDownLatch(EXPECTED.size());

        synchronized void add(String delivery) {
            System.out.println(DELIVERED + delivery);
            expected.countDown();
        }

        void await() throws InterruptedException {
            if (!expected.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException(expected.getCount() + " events were not delivered");
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try (ConfigurableApplicationContext context = SpringApplication.run(ShopApplication.class, args)) {
            Orders orders = context.getBean(Orders.class);
            orders.trade();
            orders.ship("1");
            context.getBean(Deliveries.class).await();
        }
    }
}
