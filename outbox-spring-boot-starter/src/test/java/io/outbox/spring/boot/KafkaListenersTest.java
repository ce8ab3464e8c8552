package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** Idempotent {@code @KafkaListener}s in front of a real Kafka: what is consumed, and when the broker learns of it. */
class KafkaListenersTest {

    private final String topic = "bills-" + UUID.randomUUID();
    private final KafkaMessages messages = new KafkaMessages();

    @AfterEach
    void close() {
        messages.close();
    }

    private ApplicationContextRunner application(Class<?>... configurations) {
        return Bills.application(configurations)
                .withPropertyValues(
                        "topic=" + topic,
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "spring.kafka.consumer.group-id=" + topic,
                        "spring.kafka.consumer.auto-offset-reset=earliest");
    }

    private void awaitCommitted(long offset) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(
                        () -> assertThat(KafkaMessages.committed(topic, topic)).isEqualTo(offset));
    }

    static class Single {

        @Bean
        CommonErrorHandler errorHandler() {
            return new DefaultErrorHandler(new FixedBackOff(0, 9));
        }

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        record Listener(Bills bills) {

            @Idempotent
            @KafkaListener(topics = "${topic}")
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
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "book", "book", "late lamp", "book", "late lamp", "chair");
        application(Single.class).run(context -> {
            awaitCommitted(6);
            Bills bills = context.getBean(Bills.class);
            assertThat(bills.items()).containsExactly("book", "chair", "late lamp");
            assertThat(bills.attempts("book")).isEqualTo(1);
            assertThat(bills.attempts("late lamp")).isEqualTo(2);
            assertThat(bills.consumers()).containsExactly("billing/listener.on");
        });
    }

    static class Manual {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        static class Listener {

            private final Bills bills;
            private final List<Long> committedBeforeTheEnd = new CopyOnWriteArrayList<>();

            Listener(Bills bills) {
                this.bills = bills;
            }

            @Idempotent
            @KafkaListener(topics = "${topic}")
            void on(ConsumerRecord<String, String> message, Acknowledgment acknowledgment) {
                bills.bill(message.value());
                if (message.value().startsWith("late") && bills.attempts(message.value()) == 1) {
                    acknowledgment.nack(Duration.ofMillis(1));
                    return;
                }
                acknowledgment.acknowledge();
                committedBeforeTheEnd.add(KafkaMessages.committed(message.topic(), message.topic()));
            }
        }
    }

    @Test
    void acknowledgementsOfTheListenerWaitForTheCommit() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "book", "book", "late lamp", "late lamp", "book");
        application(Manual.class)
                .withPropertyValues("spring.kafka.listener.ack-mode=manual_immediate")
                .run(context -> {
                    awaitCommitted(5);
                    Bills bills = context.getBean(Bills.class);
                    assertThat(bills.items()).containsExactly("book", "late lamp");
                    assertThat(bills.attempts("late lamp"))
                            .as("refused, rolled back, and come again")
                            .isEqualTo(2);
                    assertThat(context.getBean(Manual.Listener.class).committedBeforeTheEnd)
                            .as("offsets after the duplicate that was skipped, and no more")
                            .containsExactly(0L, 2L);
                });
    }

    static class Batch {

        @Bean
        CommonErrorHandler errorHandler() {
            return new DefaultErrorHandler(new FixedBackOff(0, 1));
        }

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

            @Idempotent(consumer = "batches of ${spring.application.name}")
            @KafkaListener(topics = "${topic}", batch = "true")
            void on(List<String> items) {
                batches.add(List.copyOf(items));
                for (int i = 0; i < items.size(); i++) {
                    bills.bill(items.get(i));
                    if (items.get(i).equals("poison")) {
                        throw new BatchListenerFailedException("no", i);
                    }
                }
            }
        }
    }

    /** The container passes over what was before the poison, and drops the poison after its second attempt. */
    @Test
    void aBatchListenerThatNamesWhatItFailedAtLosesNothingElse() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "a", "a", "b", "poison", "c", "a", "d");
        application(Batch.class).run(context -> {
            awaitCommitted(7);
            Bills bills = context.getBean(Bills.class);
            assertThat(bills.items()).containsExactly("a", "b", "c", "d");
            assertThat(bills.attempts("poison")).isEqualTo(2);
            assertThat(bills.consumers()).containsExactly("batches of billing");
            assertThat(context.getBean(Batch.Listener.class).batches)
                    .startsWith(List.of("a", "b", "poison", "c", "d"), List.of("a", "b"))
                    .endsWith(List.of("c", "d"));
        });
    }

    static class FailingBatch {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        static class Listener {

            private final Bills bills;
            private final AtomicInteger failures = new AtomicInteger();

            Listener(Bills bills) {
                this.bills = bills;
            }

            /** Fails at b as a batch, and again when it comes alone, without a word which message it was. */
            @Idempotent
            @KafkaListener(topics = "${topic}", batch = "true")
            void on(List<String> items) {
                for (String item : items) {
                    bills.bill(item);
                    if (item.equals("b") && failures.incrementAndGet() <= 2) {
                        throw new IllegalStateException("not yet");
                    }
                }
            }
        }
    }

    /** Nothing behind a message that fails is consumed before it: what the broker has in order is consumed in order. */
    @Test
    void aBatchIsConsumedInTheOrderOfItsPartitionThroughFailuresAndRepetitions() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "a", "b", "a", "c", "b", "d");
        application(FailingBatch.class).run(context -> {
            awaitCommitted(6);
            assertThat(context.getBean(Bills.class).items()).containsExactly("a", "b", "c", "d");
        });
    }

    @Test
    void aMessageWithoutAnIdIsTheOnlyOneOfItsBatchThatFails() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.sendAll(List.of(
                KafkaMessages.event(topic, 0, "a"),
                new ProducerRecord<>(topic, "nameless"),
                KafkaMessages.event(topic, 0, "b")));
        application(Batch.class).run(context -> {
            awaitCommitted(3);
            assertThat(context.getBean(Bills.class).items()).containsExactly("a", "b");
        });
    }

    static class ManualBatch {

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
            @KafkaListener(topics = "${topic}", batch = "true")
            void on(ConsumerRecords<String, String> polled, Acknowledgment acknowledgment) {
                List<String> items = new ArrayList<>();
                polled.forEach(message -> items.add(message.value()));
                batches.add(items);
                items.forEach(bills::bill);
                int late = items.indexOf("late");
                if (late >= 0 && bills.attempts("late") == 1) {
                    acknowledgment.nack(late, Duration.ofMillis(1));
                } else {
                    acknowledgment.acknowledge();
                }
            }
        }
    }

    @Test
    void aBatchListenerThatAcceptsOnlyTheFirstMessagesGetsTheOthersAgain() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "a", "a", "b", "late", "c");
        application(ManualBatch.class)
                .withPropertyValues("spring.kafka.listener.ack-mode=manual")
                .run(context -> {
                    awaitCommitted(5);
                    assertThat(context.getBean(Bills.class).items()).containsExactly("a", "b", "c", "late");
                    assertThat(context.getBean(ManualBatch.Listener.class).batches)
                            .containsExactly(List.of("a", "b", "late", "c"), List.of("a", "b"), List.of("late", "c"));

                    messages.send(topic, "a", "b");
                    awaitCommitted(7);
                    assertThat(context.getBean(ManualBatch.Listener.class).batches)
                            .as("not called when nothing is new")
                            .hasSize(3);
                });
    }

    static class TwoGroups {

        @Bean
        Listener listener(Bills bills) {
            return new Listener(bills);
        }

        @Idempotent
        record Listener(Bills bills) {

            @KafkaListener(topics = "${topic}", groupId = "${topic}-a")
            void first(String item) {
                bills.bill("first " + item);
            }

            @KafkaListener(topics = "${topic}", groupId = "${topic}-b")
            void second(String item) {
                bills.bill("second " + item);
            }
        }
    }

    @Test
    void listenersForTheSameEventsDoNotTakeThemFromEachOther() throws Exception {
        KafkaMessages.createTopics(1, topic);
        messages.send(topic, "book", "book");
        application(TwoGroups.class)
                .run(context -> await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(
                                () -> assertThat(context.getBean(Bills.class).items())
                                        .containsExactly("first book", "second book")));
    }

    @Test
    void offsetsThatTheClientCommitsByItselfAreWarnedOf() {
        try (LogLines log = new LogLines()) {
            application(Single.class)
                    .withPropertyValues(
                            "spring.kafka.listener.auto-startup=false", "spring.kafka.consumer.enable-auto-commit=true")
                    .run(context -> assertThat(log.at(Level.WARNING))
                            .anySatisfy(line -> assertThat(line).contains("listener.on", "enable.auto.commit=true")));
        }
    }

    @Test
    void noWarningWithoutAReason() {
        try (LogLines log = new LogLines()) {
            application(Single.class)
                    .withPropertyValues("spring.kafka.listener.auto-startup=false")
                    .run(context -> assertThat(log.at(Level.WARNING)).isEmpty());
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
        @KafkaListener(topics = "${topic}")
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

    static class Overloaded {

        @Idempotent
        @KafkaListener(topics = "${topic}")
        void on(String item) {}

        @Idempotent
        @KafkaListener(topics = "${topic}")
        void on(ConsumerRecord<String, String> message) {}
    }

    @Test
    void listenersOfOneNameAreRefused() {
        application(Overloaded.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("have the same name, overloaded.on"));
    }

    static class OwnRegistry {
        @Bean("org.springframework.kafka.config.internalKafkaListenerEndpointRegistry")
        KafkaListenerEndpointRegistry registry() {
            return new KafkaListenerEndpointRegistry();
        }
    }

    @Test
    void idempotentListenersInARegistryOfTheApplicationAreRefused() {
        application(OwnRegistry.class, Single.class)
                .withPropertyValues("spring.kafka.listener.auto-startup=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("[listener] have listeners with @Idempotent"));
        application(OwnRegistry.class)
                .run(context -> assertThat(context.getStartupFailure()).isNull());
    }
}
