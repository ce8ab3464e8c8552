package io.outbox.spring.boot;

import static io.outbox.spring.boot.KafkaMessages.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.AmqpRejectAndDontRequeueException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.config.AbstractRabbitListenerContainerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Payloads as objects of the classes that event types are mapped to, for listeners of both brokers. */
class PayloadMappingsTest {

    private static final List<Object> RECEIVED = new CopyOnWriteArrayList<>();
    private static final List<Throwable> FAILURES = new CopyOnWriteArrayList<>();

    private final String destination = "orders-" + UUID.randomUUID();

    sealed interface OrderEvent {}

    record OrderPlaced(int id, String item) implements OrderEvent {}

    record OrderPaid(int id) implements OrderEvent {}

    private ApplicationContextRunner application(Class<?>... configurations) {
        RECEIVED.clear();
        FAILURES.clear();
        return Bills.application(configurations)
                .withPropertyValues(
                        "destination=" + destination,
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "spring.kafka.consumer.group-id=" + destination,
                        "spring.kafka.consumer.auto-offset-reset=earliest",
                        "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                        "outbox.consumer.mappings.order-placed=" + OrderPlaced.class.getName(),
                        "outbox.consumer.mappings.order.paid=" + OrderPaid.class.getName());
    }

    private static void awaitReceived(Object... expected) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(RECEIVED).containsExactly(expected));
    }

    private static void assertUnmapped(String eventType) {
        assertThat(FAILURES)
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure)
                        .hasStackTraceContaining("The event type " + eventType + " in the header outbox_event_type")
                        .hasStackTraceContaining("outbox.consumer.mappings." + eventType));
    }

    static class KafkaFailures {

        @Bean
        CommonErrorHandler errorHandler() {
            return new DefaultErrorHandler((message, failure) -> FAILURES.add(failure), new FixedBackOff(0, 0));
        }
    }

    static class KafkaSingle {

        @KafkaListener(topics = "${destination}")
        void on(OrderEvent event) {
            RECEIVED.add(event);
        }
    }

    private void sendToKafka() throws Exception {
        KafkaMessages.createTopics(1, destination);
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.sendAll(List.of(
                    event(destination, "1", "order-placed", "{\"id\":1,\"item\":\"book\"}"),
                    event(destination, "2", "unheard-of", "{}"),
                    event(destination, "3", "order.paid", "{\"id\":1}"),
                    event(destination, "1", "order-placed", "{\"id\":1,\"item\":\"book\"}")));
        }
    }

    @Test
    void kafkaListenersGetObjectsByTheTypeOfTheEvent() throws Exception {
        sendToKafka();
        application(KafkaSingle.class, KafkaFailures.class).run(context -> {
            awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1), new OrderPlaced(1, "book"));
            assertThat(FAILURES).hasSize(1);
            assertUnmapped("unheard-of");
        });
    }

    static class KafkaBatch {

        @Idempotent
        @KafkaListener(topics = "${destination}", batch = "true")
        void on(List<OrderEvent> events) {
            RECEIVED.addAll(events);
        }
    }

    /** The listener is not called for the batch with the unmapped one; what is before and behind it is not lost. */
    @Test
    void kafkaBatchListenersGetObjectsByTheTypeOfTheEvent() throws Exception {
        sendToKafka();
        application(KafkaBatch.class, KafkaFailures.class).run(context -> {
            awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1));
            assertUnmapped("unheard-of");
        });
    }

    static class KafkaBatchOfOneType {

        @Idempotent
        @KafkaListener(topics = "${destination}", batch = "true")
        void on(List<OrderPlaced> events) {
            RECEIVED.addAll(events);
        }
    }

    /** What the default error handler gives up is what cannot be read, and nothing beside it. */
    @Test
    void whatABatchListenerOfKafkaCannotBeGivenTakesNoneOfItsNeighboursAlong() throws Exception {
        KafkaMessages.createTopics(1, destination);
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.sendAll(List.of(
                    event(destination, "1", "order-placed", "{\"id\":1,\"item\":\"book\"}"),
                    event(destination, "2", "order-placed", "{"),
                    event(destination, "3", "order-placed", "{\"id\":3,\"item\":\"lamp\"}"),
                    event(destination, "4", "order.paid", "{\"id\":4}"),
                    event(destination, "5", "order-placed", "{\"id\":5,\"item\":\"desk\"}")));
        }
        application(KafkaBatchOfOneType.class, KafkaFailures.class).run(context -> {
            awaitReceived(new OrderPlaced(1, "book"), new OrderPlaced(3, "lamp"), new OrderPlaced(5, "desk"));
            assertThat(FAILURES).hasSize(2);
            assertThat(FAILURES.get(0)).hasStackTraceContaining("offset 1");
            assertThat(FAILURES.get(1)).hasStackTraceContaining("offset 3").hasStackTraceContaining("mapped to");
        });
    }

    @KafkaListener(topics = "${destination}")
    @Idempotent
    static class KafkaHandlers {

        @KafkaHandler
        void on(OrderPlaced event) {
            RECEIVED.add(event);
        }

        @KafkaHandler
        void on(OrderPaid event) {
            RECEIVED.add(event);
        }
    }

    static class KafkaAsTheyCame {

        @KafkaListener(topics = "${destination}", groupId = "${destination}-text")
        void on(String payload) {
            RECEIVED.add(payload);
        }

        @KafkaListener(topics = "${destination}", groupId = "${destination}-record")
        void on(ConsumerRecord<String, String> message) {
            RECEIVED.add(message.value());
        }
    }

    @Test
    void theMethodsOfAKafkaListenerAreChosenByTheTypeOfTheEvent() throws Exception {
        sendToKafka();
        application(KafkaHandlers.class, KafkaFailures.class)
                .run(context -> awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1)));
    }

    @Test
    void kafkaListenersForTextAndMessagesGetThemAsTheyCame() throws Exception {
        KafkaMessages.createTopics(1, destination);
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.sendAll(List.of(event(destination, "2", "unheard-of", "{}")));
        }
        application(KafkaAsTheyCame.class).run(context -> awaitReceived("{}", "{}"));
    }

    static class RabbitFailures {

        RabbitFailures(List<AbstractRabbitListenerContainerFactory<?>> factories) {
            factories.forEach(factory -> factory.setErrorHandler(failure -> {
                FAILURES.add(failure);
                throw new AmqpRejectAndDontRequeueException(failure);
            }));
        }
    }

    private void sendToRabbit() throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(destination)) {
            messages.sendJson("1", "order-placed", "{\"id\":1,\"item\":\"book\"}");
            messages.sendJson("2", "unheard-of", "{}");
            messages.sendJson("3", "order.paid", "{\"id\":1}");
        }
    }

    static class RabbitSingle {

        @RabbitListener(queues = "${destination}")
        void on(OrderEvent event) {
            RECEIVED.add(event);
        }
    }

    @Test
    void rabbitListenersGetObjectsByTheTypeOfTheEvent() throws Exception {
        sendToRabbit();
        application(RabbitSingle.class, RabbitFailures.class).run(context -> {
            awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1));
            assertUnmapped("unheard-of");
        });
    }

    @RabbitListener(queues = "${destination}")
    @Idempotent
    static class RabbitHandlers {

        @RabbitHandler
        void on(OrderPlaced event) {
            RECEIVED.add(event);
        }

        @RabbitHandler
        void on(OrderPaid event) {
            RECEIVED.add(event);
        }
    }

    @Test
    void theMethodsOfARabbitListenerAreChosenByTheTypeOfTheEvent() throws Exception {
        sendToRabbit();
        application(RabbitHandlers.class, RabbitFailures.class).run(context -> {
            awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1));
            assertUnmapped("unheard-of");
        });
    }

    static class RabbitBatch {

        @Idempotent
        @RabbitListener(queues = "${destination}")
        void on(List<OrderEvent> events) {
            RECEIVED.addAll(events);
        }
    }

    @Test
    void rabbitBatchListenersGetObjectsByTheTypeOfTheEvent() throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(destination)) {
            messages.sendJson("1", "order-placed", "{\"id\":1,\"item\":\"book\"}");
            messages.sendJson("3", "order.paid", "{\"id\":1}");
            application(RabbitBatch.class, RabbitFailures.class)
                    .withPropertyValues(
                            "spring.rabbitmq.listener.simple.consumer-batch-enabled=true",
                            "spring.rabbitmq.listener.simple.batch-size=2")
                    .run(context -> {
                        awaitReceived(new OrderPlaced(1, "book"), new OrderPaid(1));
                        messages.sendJson("4", "unheard-of", "{}");
                        await().untilAsserted(() -> assertUnmapped("unheard-of"));
                    });
        }
    }

    /** Nothing is marked as consumed that the listener was not given: it can be sent again, once it can be read. */
    @Test
    void whatABatchListenerOfRabbitCannotBeGivenTakesNoneOfItsNeighboursAlong() throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(destination)) {
            messages.sendJson("1", "order-placed", "{\"id\":1,\"item\":\"book\"}");
            messages.sendJson("2", "unheard-of", "{}");
            messages.sendJson("3", "order-placed", "{");
            messages.sendJson("4", "order.paid", "{\"id\":1}");
            application(RabbitBatch.class, RabbitFailures.class)
                    .withPropertyValues(
                            "spring.rabbitmq.listener.simple.consumer-batch-enabled=true",
                            "spring.rabbitmq.listener.simple.batch-size=4")
                    .run(context -> {
                        await().atMost(Duration.ofSeconds(20))
                                .untilAsserted(() -> assertThat(FAILURES)
                                        .anySatisfy(failure -> assertThat(failure)
                                                .hasStackTraceContaining("The event type unheard-of"))
                                        .anySatisfy(failure -> assertThat(failure)
                                                .hasStackTraceContaining("payload of an event of type order-placed")));
                        assertThat(context.getBean(Bills.class).marks()).containsExactly("1", "4");
                        assertThat(RECEIVED).containsOnly(new OrderPlaced(1, "book"), new OrderPaid(1));
                    });
        }
    }

    static class RabbitAsTheyCame {

        @RabbitListener(queues = "${destination}")
        void on(Message message) {
            RECEIVED.add(new String(message.getBody()));
        }
    }

    static class RabbitText {

        @RabbitListener(queues = "${destination}")
        void on(String payload) {
            RECEIVED.add(payload);
        }
    }

    @Test
    void rabbitListenersForTextAndMessagesGetThemAsTheyCame() throws Exception {
        for (Class<?> listener : List.of(RabbitAsTheyCame.class, RabbitText.class)) {
            try (RabbitMessages messages = RabbitMessages.open(destination)) {
                messages.sendJson("2", "unheard-of", "{}");
            }
            application(listener).run(context -> awaitReceived("{}"));
        }
    }

    @Test
    void aClassThatIsNotThereIsRefusedAtStartUp() {
        Bills.application()
                .withPropertyValues("outbox.consumer.mappings.order-placed=shop.Missing")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.consumer.mappings.order-placed")
                        .hasStackTraceContaining("shop.Missing"));
    }
}
