package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.support.LogLines;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.RabbitListenerErrorHandler;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.handler.annotation.Header;

/**
 * Idempotent {@code @RabbitListener}s in front of a real RabbitMQ: what is consumed, and when the broker learns of it.
 */
class RabbitListenersTest {

    private final String queue = "bills-" + UUID.randomUUID();
    private RabbitMessages messages;

    @BeforeEach
    void open() throws Exception {
        messages = RabbitMessages.open(queue);
    }

    @AfterEach
    void close() throws Exception {
        messages.close();
    }

    private ApplicationContextRunner application(Class<?>... configurations) {
        return Bills.application(configurations)
                .withPropertyValues(
                        "queue=" + queue,
                        "spring.rabbitmq.addresses=" + RabbitServer.shared().uri());
    }

    private static void awaitItems(Bills bills, String... items) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(bills.items()).containsExactly(items));
    }

    /** Nothing is left when the application has gone: what is not acknowledged would be back in the queue. */
    private void assertEverythingWasAcknowledged() {
        await().untilAsserted(() -> assertThat(messages.waiting()).isZero());
    }

    static class Single {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        record Listener(Bills bills) {

            @Idempotent
            @RabbitListener(queues = "${queue}")
            void on(String item) {
                bills.bill(item);
                if (item.startsWith("late") && bills.attempts(item) == 1) {
                    throw new IllegalStateException("not yet");
                }
            }
        }
    }

    @Test
    void aMessageThatComesAgainIsSkippedAndOneThatFailsIsRolledBackAndComesAgain() throws Exception {
        messages.send("book", "book", "late lamp", "book", "chair");
        application(Single.class).run(context -> {
            Bills bills = context.getBean(Bills.class);
            awaitItems(bills, "book", "chair", "late lamp");
            assertThat(bills.attempts("book")).isEqualTo(1);
            assertThat(bills.attempts("late lamp")).isEqualTo(2);
            assertThat(bills.consumers()).containsExactly("billing/listener.on");
        });
        assertEverythingWasAcknowledged();
    }

    static class Manual {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        record Listener(Bills bills) {

            @Idempotent
            @RabbitListener(queues = "${queue}")
            void on(String item, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) throws IOException {
                bills.bill(item);
                boolean isFirst = bills.attempts(item) == 1;
                if (item.startsWith("late") && isFirst) {
                    channel.basicNack(tag, false, true);
                } else if (item.startsWith("unwanted")) {
                    channel.basicReject(tag, false);
                } else {
                    channel.basicAck(tag, false);
                }
                if (item.startsWith("hasty") && isFirst) {
                    throw new IllegalStateException("acknowledged, and failed then");
                }
            }
        }
    }

    @Test
    void answersOfTheListenerWaitForTheEndOfTheTransaction() throws Exception {
        messages.send("book", "book", "late lamp", "unwanted", "hasty", "book", "chair");
        application(Manual.class)
                .withPropertyValues("spring.rabbitmq.listener.simple.acknowledge-mode=manual")
                .run(context -> {
                    Bills bills = context.getBean(Bills.class);
                    awaitItems(bills, "book", "chair", "hasty", "late lamp");
                    assertThat(bills.attempts("late lamp")).isEqualTo(2);
                    assertThat(bills.attempts("hasty"))
                            .as("an acknowledgement that was not true")
                            .isEqualTo(2);
                    assertThat(bills.attempts("unwanted")).isEqualTo(1);

                    messages.send("book", "desk");
                    awaitItems(bills, "book", "chair", "desk", "hasty", "late lamp");
                });
        assertEverythingWasAcknowledged();
    }

    static class Batch {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        static class Listener {

            private final Bills bills;
            private final List<List<String>> batches = new CopyOnWriteArrayList<>();

            Listener(Bills bills) {
                this.bills = bills;
            }

            @Idempotent
            @RabbitListener(queues = "${queue}")
            void on(List<String> items) {
                batches.add(List.copyOf(items));
                items.forEach(bills::bill);
                if (items.contains("late") && bills.attempts("late") == 1) {
                    throw new IllegalStateException("not yet");
                }
            }
        }
    }

    private ApplicationContextRunner batchApplication(Class<?> configuration) {
        return application(configuration)
                .withPropertyValues(
                        "spring.rabbitmq.listener.simple.consumer-batch-enabled=true",
                        "spring.rabbitmq.listener.simple.batch-size=5",
                        "spring.rabbitmq.listener.simple.prefetch=5");
    }

    @Test
    void aBatchIsConsumedInOneTransaction() throws Exception {
        messages.send("a", "a", "b", "late", "c");
        batchApplication(Batch.class).run(context -> {
            awaitItems(context.getBean(Bills.class), "a", "b", "c", "late");
            assertThat(context.getBean(Batch.Listener.class).batches)
                    .as("together, and after a failure one by one")
                    .containsExactly(
                            List.of("a", "b", "late", "c"), List.of("a"), List.of("b"), List.of("late"), List.of("c"));
        });
        assertEverythingWasAcknowledged();
    }

    static class ManualBatch {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        record Listener(Bills bills) {

            @Idempotent
            @RabbitListener(queues = "${queue}")
            void on(List<Message> items, Channel channel) throws IOException {
                items.forEach(item -> bills.bill(new String(item.getBody())));
                boolean isFirst = items.size() == 3 && bills.attempts("a") == 1;
                if (isFirst) {
                    channel.basicAck(tag(items, 0), false);
                    channel.basicNack(tag(items, 2), true, true);
                } else {
                    channel.basicAck(tag(items, items.size() - 1), true);
                }
            }

            private static long tag(List<Message> items, int index) {
                return items.get(index).getMessageProperties().getDeliveryTag();
            }
        }
    }

    @Test
    void whatABatchListenerWasNotGivenIsAcknowledgedForIt() throws Exception {
        messages.send("a", "a", "b", "b", "c");
        batchApplication(ManualBatch.class)
                .withPropertyValues("spring.rabbitmq.listener.simple.acknowledge-mode=manual")
                .run(context -> {
                    Bills bills = context.getBean(Bills.class);
                    awaitItems(bills, "a", "b", "c");
                    assertThat(bills.attempts("a"))
                            .as("rolled back with the refused")
                            .isEqualTo(2);

                    messages.send("a", "b", "c", "a", "d");
                    awaitItems(bills, "a", "b", "c", "d");
                });
        assertEverythingWasAcknowledged();
    }

    /** It comes again for ever; what is good is consumed nevertheless, and once. */
    @Test
    void aMessageWithoutAnIdDoesNotKeepItsBatchFromBeingConsumed() throws Exception {
        messages.send("a", "b");
        messages.sendWithoutId("nameless");
        messages.send("c", "d");
        batchApplication(Batch.class).run(context -> {
            Bills bills = context.getBean(Bills.class);
            awaitItems(bills, "a", "b", "c", "d");
            assertThat(bills.attempts("nameless")).isZero();
        });
        await().untilAsserted(() -> assertThat(messages.waiting()).isPositive());
    }

    @Test
    void aMessageWithoutAnIdIsRefusedAloneWhereTheListenerAcknowledges() throws Exception {
        messages.send("a", "b");
        messages.sendWithoutId("nameless");
        messages.send("c", "d");
        batchApplication(ManualBatch.class)
                .withPropertyValues(
                        "spring.rabbitmq.listener.simple.acknowledge-mode=manual",
                        "spring.rabbitmq.listener.simple.default-requeue-rejected=false")
                .run(context -> {
                    Bills bills = context.getBean(Bills.class);
                    awaitItems(bills, "a", "b", "c", "d");
                    assertThat(bills.attempts("nameless")).isZero();
                });
        assertEverythingWasAcknowledged();
    }

    @Test
    void acknowledgementsThatDoNotWaitForTheListenerAreWarnedOf() {
        try (LogLines log = new LogLines()) {
            application(Single.class)
                    .withPropertyValues(
                            "spring.rabbitmq.listener.simple.auto-startup=false",
                            "spring.rabbitmq.listener.simple.acknowledge-mode=none")
                    .run(context -> assertThat(log.at(Level.WARNING))
                            .anySatisfy(
                                    line -> assertThat(line).contains("listener.on", "acknowledge mode NONE", "AUTO")));
        }
        try (LogLines log = new LogLines()) {
            application(Single.class)
                    .withPropertyValues("spring.rabbitmq.listener.simple.auto-startup=false")
                    .run(context -> assertThat(log.at(Level.WARNING)).isEmpty());
        }
    }

    static class Handled {

        @Idempotent
        @RabbitListener(queues = "${queue}", errorHandler = "handler", autoStartup = "false")
        void on(String item) {}

        @Bean
        static RabbitListenerErrorHandler handler() {
            return (message, channel, converted, failure) -> null;
        }
    }

    @Test
    void anErrorHandlerThatHidesFailuresFromTheTransactionIsWarnedOf() {
        try (LogLines log = new LogLines()) {
            application(Handled.class).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(log.at(Level.WARNING))
                        .anySatisfy(line -> assertThat(line).contains("handled.on", "error handler"));
            });
        }
    }

    @Test
    void aListenerThatNeedsAConsumerIsRefusedWithoutOne() {
        application(Single.class)
                .withPropertyValues("outbox.consumer.enabled=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("listener.on has @Idempotent")
                        .hasStackTraceContaining("outbox.consumer.enabled=true"));
    }

    static class Asynchronous {

        @Idempotent
        @RabbitListener(queues = "${queue}")
        CompletableFuture<Void> on(String item) {
            return CompletableFuture.completedFuture(null);
        }
    }

    @Test
    void aListenerThatReturnsBeforeItHasFinishedIsRefused() {
        application(Asynchronous.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("asynchronous.on")
                        .hasStackTraceContaining("returns before it has finished"));
    }

    static class OwnRegistry {
        @Bean("org.springframework.amqp.rabbit.config.internalRabbitListenerEndpointRegistry")
        RabbitListenerEndpointRegistry registry() {
            return new RabbitListenerEndpointRegistry();
        }
    }

    @Test
    void idempotentListenersInARegistryOfTheApplicationAreRefused() {
        application(OwnRegistry.class, Single.class)
                .withPropertyValues("spring.rabbitmq.listener.simple.auto-startup=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("[listener] have listeners with @Idempotent"));
    }
}
