package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.support.AmqpHeaders;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.amqp.support.converter.SimpleMessageConverter;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.util.backoff.FixedBackOff;

/**
 * Idempotent listeners lose nothing with the settings that everybody has: neither by a message nor by their database.
 */
class FailingListenersTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String POISON = "event-50";
    private static final List<String> EVENTS =
            IntStream.range(0, 100).mapToObj("event-%02d"::formatted).toList();

    private final String topic = "bills-" + UUID.randomUUID();
    private final String queue = "bills-" + UUID.randomUUID();

    @BeforeEach
    void createTopics() throws Exception {
        KafkaMessages.createTopics(1, topic, topic + "-dlt");
    }

    private ApplicationContextRunner application(Class<?>... configurations) {
        return Bills.application(configurations)
                .withPropertyValues(
                        "topic=" + topic,
                        "queue=" + queue,
                        "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "spring.kafka.consumer.auto-offset-reset=earliest");
    }

    private static List<String> allOf(String listener) {
        return EVENTS.stream().map(event -> listener + " " + event).toList();
    }

    private static List<String> allButPoison() {
        return EVENTS.stream().filter(event -> !event.equals(POISON)).toList();
    }

    private static List<String> allButPoisonOf(String listener) {
        List<String> items = new ArrayList<>(allOf(listener));
        items.removeIf(item -> item.endsWith(POISON));
        return items;
    }

    static class KafkaListeners {

        private final Bills bills;

        KafkaListeners(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}-single")
        void single(String item) {
            bill("single", item);
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}-batch", batch = "true")
        void batch(List<String> items) {
            items.forEach(item -> bill("batch", item));
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}-naming", batch = "true")
        void naming(List<String> items) {
            for (int i = 0; i < items.size(); i++) {
                try {
                    bill("naming", items.get(i));
                } catch (IllegalStateException e) {
                    throw new BatchListenerFailedException("no", e, i);
                }
            }
        }

        private void bill(String listener, String item) {
            bills.bill(listener + " " + item);
            if (item.equals(POISON)) {
                throw new IllegalStateException("always");
            }
        }
    }

    /** The one that failed is in the topic for dead letters, once for each listener. */
    @Test
    void oneMessageThatAlwaysFailsCostsNoOtherItsEffectWithKafka() throws Exception {
        List<String> expected = Stream.of("single", "batch", "naming")
                .flatMap(listener -> allButPoisonOf(listener).stream())
                .toList();
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.send(topic, EVENTS.toArray(String[]::new));
            application(KafkaListeners.class).run(context -> {
                Bills bills = context.getBean(Bills.class);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(bills.items()).containsExactlyInAnyOrderElementsOf(expected));
                await().atMost(PATIENCE)
                        .until(() -> Stream.of("single", "batch", "naming")
                                .allMatch(listener -> KafkaMessages.committed(topic + "-" + listener) == 100));
                assertThat(KafkaMessages.sent(topic + "-dlt")).isEqualTo(3);
                assertThat(bills.attempts("single " + POISON)).isEqualTo(10);
            });
        }
    }

    static class KafkaBatch {

        private final Bills bills;

        KafkaBatch(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}", batch = "true")
        void on(List<String> items) {
            items.forEach(bills::bill);
        }
    }

    @Test
    void oneMessageWithoutWhatTheIdExpressionNeedsCostsNoOtherItsEffectWithKafka() throws Exception {
        List<ProducerRecord<String, String>> events = EVENTS.stream()
                .map(event -> KafkaMessages.event(topic, 0, event))
                .toList();
        events.get(EVENTS.indexOf(POISON)).headers().remove("outbox_event_id");
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.sendAll(events);
            application(KafkaBatch.class)
                    .withPropertyValues(
                            "outbox.consumer.id-expression=headers().lastHeader('outbox_event_id').value()[0]"
                                    + " + '-' + value()")
                    .run(context -> {
                        await().atMost(PATIENCE).until(() -> KafkaMessages.committed(topic) == 100);
                        assertThat(context.getBean(Bills.class).items())
                                .containsExactlyInAnyOrderElementsOf(allButPoison());
                    });
            assertThat(KafkaMessages.sent(topic + "-dlt")).isEqualTo(1);
        }
    }

    @Test
    void oneMessageWithoutWhatTheIdExpressionNeedsCostsNoOtherItsEffectWithRabbitMq() throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(queue)) {
            for (String event : EVENTS) {
                if (event.equals(POISON)) {
                    messages.sendWithoutId(event);
                } else {
                    messages.send(event);
                }
            }
            application(RabbitBatch.class)
                    .withPropertyValues(
                            "outbox.consumer.id-expression=messageProperties.headers['outbox_event_id'].concat('-1')",
                            "spring.kafka.listener.auto-startup=false",
                            "spring.rabbitmq.listener.simple.prefetch=25",
                            "spring.rabbitmq.listener.simple.consumer-batch-enabled=true",
                            "spring.rabbitmq.listener.simple.batch-size=25")
                    .run(context -> await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(
                                            context.getBean(Bills.class).items())
                                    .containsExactlyElementsOf(allButPoisonOf("rabbit"))));
            await("the one that failed is still there")
                    .untilAsserted(() -> assertThat(messages.waiting()).isEqualTo(1));
        }
    }

    static class KafkaErrors {

        private final Bills bills;

        KafkaErrors(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}")
        void on(String item) {
            bills.bill(item);
            if (item.equals(POISON)) {
                throw new StackOverflowError();
            }
        }
    }

    /** With transactions of Kafka beside those of the database. */
    static class KafkaTransactions {

        @Bean
        @Primary
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        KafkaTransactionManager<Object, Object> kafkaTransactionManager(ProducerFactory<Object, Object> producers) {
            ((DefaultKafkaProducerFactory<Object, Object>) producers).setTransactionIdPrefix("bills-");
            return new KafkaTransactionManager<>(producers);
        }
    }

    /** An Error would end the container, and a container with transactions of Kafka would give the message up. */
    @ParameterizedTest
    @ValueSource(classes = {KafkaErrors.class, KafkaTransactions.class})
    void anErrorIsThatOfOneMessageWithAndWithoutTransactionsOfKafka(Class<?> settings) throws Exception {
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.send(topic, "event-49", POISON, "event-51");
            application(KafkaErrors.class).withUserConfiguration(settings).run(context -> {
                Bills bills = context.getBean(Bills.class);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(bills.items()).containsExactly("event-49", "event-51"));
                await().atMost(PATIENCE).until(() -> KafkaMessages.sent(topic + "-dlt") > 0);
                assertThat(bills.attempts(POISON)).isEqualTo(10);
            });
        }
    }

    static class RollbacksOfTheApplication extends KafkaTransactions {

        private final Queue<Object> givenUp = new ConcurrentLinkedQueue<>();

        @Bean
        ContainerCustomizer<Object, Object, ConcurrentMessageListenerContainer<Object, Object>> rollbacks() {
            return container -> container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                    (message, failure) -> givenUp.add(message.value()), new FixedBackOff(0, 1)));
        }
    }

    @Test
    void aRollbackProcessorOfACustomizerStays() throws Exception {
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.send(topic, POISON, "event-51");
            application(KafkaErrors.class, RollbacksOfTheApplication.class).run(context -> {
                Bills bills = context.getBean(Bills.class);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(bills.items()).containsExactly("event-51"));
                assertThat(bills.attempts(POISON)).isEqualTo(2);
                assertThat(context.getBean(RollbacksOfTheApplication.class).givenUp)
                        .containsExactly(POISON);
            });
        }
    }

    static class RabbitHopeless {

        private final Bills bills;

        RabbitHopeless(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @RabbitListener(queues = "${queue}")
        void on(String item) {
            bills.bill(item);
            if (item.equals("error") && bills.attempts(item) < 3) {
                throw new NoClassDefFoundError("for once");
            }
            if (item.equals("cast") && bills.attempts(item) < 3) {
                throw new ClassCastException("of the listener");
            }
        }
    }

    /** Spring rejects a message for some failures, and ends the JVM for others. */
    @Test
    void noFailureOfAListenerCostsAMessageWithRabbitMq() throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(queue)) {
            messages.send("cast", "error", "event-51");
            application(RabbitHopeless.class)
                    .withPropertyValues("spring.kafka.listener.auto-startup=false")
                    .run(context -> await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(
                                            context.getBean(Bills.class).items())
                                    .containsExactly("cast", "error", "event-51")));
        }
    }

    static class RabbitManual {

        private final Bills bills;

        RabbitManual(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @RabbitListener(queues = "${queue}", ackMode = "MANUAL")
        void on(String item, Channel channel, @Header(AmqpHeaders.DELIVERY_TAG) long tag) throws IOException {
            bills.bill("rabbit " + item);
            if (item.equals("cast") && bills.attempts("rabbit cast") < 3) {
                throw new ClassCastException("of the listener");
            }
            if (item.equals("other") && bills.attempts("rabbit other") < 3) {
                throw new IllegalStateException("for once");
            }
            channel.basicAck(tag, false);
        }
    }

    /** A container leaves answers to such a listener, but rejects what it takes for hopeless. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noFailureCostsAMessageOfAListenerThatAcknowledgesItself(boolean isReadLater) throws Exception {
        Class<?>[] parts =
                isReadLater ? new Class<?>[] {Reader.class, RabbitManual.class} : new Class<?>[] {RabbitManual.class};
        try (RabbitMessages messages = RabbitMessages.open(queue)) {
            messages.send("cast", "event-51", "other");
            application(parts)
                    .withPropertyValues("spring.kafka.listener.auto-startup=false")
                    .run(context -> await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(
                                            context.getBean(Bills.class).items())
                                    .containsExactly("rabbit cast", "rabbit event-51", "rabbit other")));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(messages.waiting()).isZero());
        }
    }

    /** Reads a message when it has come a second time. */
    static class Reader {

        @Bean
        MessageConverter converter() {
            return new SimpleMessageConverter() {
                @Override
                public Object fromMessage(Message message) {
                    if (!message.getMessageProperties().isRedelivered()) {
                        throw new MessageConversionException("not yet");
                    }
                    return new String(message.getBody(), StandardCharsets.UTF_8);
                }
            };
        }
    }

    @ParameterizedTest
    @CsvSource({"RabbitSingle, false", "RabbitBatch, true"})
    void aMessageThatCannotBeReadComesAgainWithRabbitMq(String kind, boolean batch) throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(queue)) {
            messages.send("event-01", "event-02");
            application(Reader.class, Class.forName(FailingListenersTest.class.getName() + "$" + kind))
                    .withPropertyValues(
                            "spring.kafka.listener.auto-startup=false",
                            "spring.rabbitmq.listener.simple.consumer-batch-enabled=" + batch,
                            "spring.rabbitmq.listener.simple.batch-size=" + (batch ? 2 : 1))
                    .run(context -> {
                        await().atMost(PATIENCE)
                                .untilAsserted(() -> assertThat(
                                                context.getBean(Bills.class).items())
                                        .containsExactly("rabbit event-01", "rabbit event-02"));
                    });
            await().untilAsserted(() -> assertThat(messages.waiting()).isZero());
        }
    }

    static class RabbitSingle {

        private final Bills bills;

        RabbitSingle(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @RabbitListener(queues = "${queue}")
        void on(String item) {
            bills.bill("rabbit " + item);
            if (item.equals(POISON)) {
                throw new IllegalStateException("always");
            }
        }
    }

    static class RabbitBatch {

        private final Bills bills;

        RabbitBatch(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @RabbitListener(queues = "${queue}")
        void on(List<String> items) {
            items.forEach(item -> bills.bill("rabbit " + item));
            if (items.contains(POISON)) {
                throw new IllegalStateException("always");
            }
        }
    }

    static class RabbitManualBatch {

        private final Bills bills;

        RabbitManualBatch(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @RabbitListener(queues = "${queue}")
        void on(List<Message> messages, Channel channel) throws IOException {
            for (Message message : messages) {
                String item = new String(message.getBody());
                bills.bill("rabbit " + item);
                if (item.equals(POISON)) {
                    throw new IllegalStateException("always");
                }
                channel.basicAck(message.getMessageProperties().getDeliveryTag(), false);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"RabbitSingle, auto, false", "RabbitBatch, auto, true", "RabbitManualBatch, manual, true"})
    void oneMessageThatAlwaysFailsCostsNoOtherItsEffectWithRabbitMq(String kind, String mode, boolean batch)
            throws Exception {
        try (RabbitMessages messages = RabbitMessages.open(queue)) {
            messages.send(EVENTS.toArray(String[]::new));
            application(Class.forName(FailingListenersTest.class.getName() + "$" + kind))
                    .withPropertyValues(
                            "spring.kafka.listener.auto-startup=false",
                            "spring.rabbitmq.listener.simple.acknowledge-mode=" + mode,
                            "spring.rabbitmq.listener.simple.prefetch=25",
                            "spring.rabbitmq.listener.simple.consumer-batch-enabled=" + batch,
                            "spring.rabbitmq.listener.simple.batch-size=" + (batch ? 25 : 1))
                    .run(context -> await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(
                                            context.getBean(Bills.class).items())
                                    .containsExactlyElementsOf(allButPoisonOf("rabbit"))));
            await("the one that failed is still there")
                    .untilAsserted(() -> assertThat(messages.waiting()).isEqualTo(1));
        }
    }

    static class All {

        private final Bills bills;

        All(Bills bills) {
            this.bills = bills;
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}-single")
        void single(String item) {
            bills.bill("single " + item);
        }

        @Idempotent
        @KafkaListener(topics = "${topic}", groupId = "${topic}-batch", batch = "true")
        void batch(List<String> items) {
            items.forEach(item -> bills.bill("batch " + item));
        }

        @Idempotent
        @RabbitListener(queues = "${queue}")
        void rabbit(String item) {
            bills.bill("rabbit " + item);
        }
    }

    /** Long enough for ten attempts to fail, and more; a container that does not requeue would lose what it refuses. */
    @Test
    void whileTheDatabaseIsAwayMessagesComeAgainWithoutEnd() throws Exception {
        runWithoutDatabaseFor(Duration.ofSeconds(8));
    }

    @Test
    @Tag("soak")
    void whileTheDatabaseIsAwayForAMinuteMessagesComeAgainWithoutEnd() throws Exception {
        runWithoutDatabaseFor(Duration.ofSeconds(60));
    }

    private void runWithoutDatabaseFor(Duration outage) throws Exception {
        String direct = PostgresServer.shared().newDatabase();
        List<String> expected = Stream.of("single", "batch", "rabbit")
                .flatMap(listener -> allOf(listener).stream())
                .toList();
        try (TcpProxy proxy = TcpProxy.start(PostgresServer.shared().port());
                KafkaMessages kafka = new KafkaMessages();
                RabbitMessages rabbit = RabbitMessages.open(queue)) {
            application(All.class)
                    .withPropertyValues(
                            "spring.datasource.url="
                                    + direct.replace(
                                            ":" + PostgresServer.shared().port(), ":" + proxy.port()),
                            "spring.datasource.hikari.connection-timeout=250",
                            "spring.rabbitmq.listener.simple.default-requeue-rejected=false",
                            "spring.rabbitmq.listener.simple.retry.enabled=true",
                            "spring.rabbitmq.listener.simple.retry.initial-interval=10ms")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        proxy.refuse();
                        proxy.resetAll();
                        kafka.send(topic, EVENTS.toArray(String[]::new));
                        rabbit.send(EVENTS.toArray(String[]::new));
                        await().atMost(outage.plusSeconds(10)).pollDelay(outage).until(() -> true);
                        proxy.accept();
                        JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(direct));
                        await().atMost(PATIENCE)
                                .untilAsserted(
                                        () -> assertThat(database.queryForList("SELECT item FROM bill", String.class))
                                                .containsExactlyInAnyOrderElementsOf(expected));
                    });
            assertThat(KafkaMessages.sent(topic + "-dlt")).isZero();
            await().untilAsserted(() -> assertThat(rabbit.waiting()).isZero());
        }
    }
}
