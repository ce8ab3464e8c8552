package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.actuator.OutboxEndpoint;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Outages of every kind, at the default timeouts: where they show, what they cost, and when they end. */
@Timeout(240)
class OutageTest {

    private static final String ORDERS = "orders";
    /** Five seconds on a machine that has nothing else to do, as the tests of each broker demand it. */
    private static final Duration NOTICED = Duration.ofSeconds(10);
    /** A second on a machine that has nothing else to do. */
    private static final Duration BACK = Duration.ofSeconds(5);

    private static KafkaServer kafka;
    private static TcpProxy kafkaProxy;
    private static RabbitServer rabbit;
    private static TcpProxy rabbitProxy;

    /**
     * An outage of some kind.
     *
     * @param cause what is said about it
     * @param settings how to reach the broker
     */
    private record Outage(String name, String cause, List<String> settings, Step begin, Step end) {

        private interface Step {
            void run() throws Exception;
        }

        /** Returns whether the broker is away from the beginning. */
        boolean isThereBefore() {
            return begin == null;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Outage> outages() {
        return Stream.of(
                kafka("killed", "no broker can be connected to", kafka::kill, kafka::restart),
                new Outage(
                        "Kafka, wrong password",
                        "SaslAuthenticationException",
                        List.of(
                                "spring.kafka.bootstrap-servers=" + kafka.securedBootstrapServers(),
                                "spring.kafka.properties[security.protocol]=SASL_PLAINTEXT",
                                "spring.kafka.properties[sasl.mechanism]=SCRAM-SHA-256",
                                "spring.kafka.properties[sasl.jaas.config]=org.apache.kafka.common.security.scram"
                                        + ".ScramLoginModule required username=\"shop\" password=\"new\";",
                                "outbox.publisher.sender.type=kafka"),
                        null,
                        () -> setKafkaPassword("shop", "new")),
                rabbit("unreachable", "RabbitMQ has not answered", rabbitProxy::stall, rabbitProxy::resume),
                rabbit(
                        "memory alarm",
                        "low on memory",
                        () -> rabbit.control("set_vm_memory_high_watermark", "absolute", "1"),
                        () -> rabbit.control("set_vm_memory_high_watermark", "0.4")));
    }

    /** What the tests of each broker's module have as well, without Spring. */
    static Stream<Outage> otherOutages() {
        return Stream.of(
                kafka("standing still", "nothing is acknowledged", kafka::pause, kafka::resume),
                kafka("unreachable", "Kafka has not answered", kafkaProxy::stall, kafkaProxy::resume),
                rabbit("killed", "RabbitMQ cannot be reached", rabbit::kill, rabbit::restart),
                rabbit("standing still", "RabbitMQ has not answered", rabbit::pause, rabbit::resume),
                rabbit(
                        "disk alarm",
                        "low on disk",
                        () -> rabbit.control("set_disk_free_limit", "999999GB"),
                        () -> rabbit.control("set_disk_free_limit", "1MB")),
                rabbit(
                        "wrong password",
                        "ACCESS_REFUSED",
                        () -> {
                            rabbit.control("change_password", "guest", "new");
                            rabbitProxy.resetAll();
                        },
                        () -> rabbit.control("change_password", "guest", "guest")));
    }

    private static Outage kafka(String name, String cause, Outage.Step begin, Outage.Step end) {
        return new Outage(
                "Kafka, " + name,
                cause,
                List.of(
                        "spring.kafka.bootstrap-servers=127.0.0.1:" + kafkaProxy.port(),
                        "outbox.publisher.sender.type=kafka"),
                begin,
                end);
    }

    private static Outage rabbit(String name, String cause, Outage.Step begin, Outage.Step end) {
        return new Outage(
                "RabbitMQ, " + name,
                cause,
                List.of(
                        "spring.rabbitmq.addresses=" + rabbit.uri(rabbitProxy),
                        "outbox.publisher.sender.type=rabbit_mq"),
                begin,
                end);
    }

    @BeforeAll
    static void start() throws Exception {
        kafka = KafkaServer.startSecured(
                "SASL_PLAINTEXT",
                "listener.name.secured.sasl.enabled.mechanisms=SCRAM-SHA-256",
                "listener.name.secured.scram-sha-256.sasl.jaas.config="
                        + "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        kafkaProxy = TcpProxy.start(kafka.port());
        kafka.advertise(kafkaProxy);
        setKafkaPassword("shop", "old");
        createTopic(ORDERS);
        rabbit = RabbitServer.start();
        rabbitProxy = TcpProxy.start(rabbit.port());
        declareQueue(ORDERS);
        rabbit.saveDefinitions();
    }

    private static Admin admin() {
        return Admin.create(Map.<String, Object>of("bootstrap.servers", kafka.bootstrapServers()));
    }

    private static void setKafkaPassword(String user, String password) throws Exception {
        try (Admin admin = admin()) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static void createTopic(String name) throws Exception {
        try (Admin admin = admin()) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
            KafkaMessages.awaitLeaders(admin, name, 1);
        }
    }

    private static void declareQueue(String name) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(rabbit.uri());
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(name, "topic", true);
            channel.queueDeclare(name, true, false, false, null);
            channel.queueBind(name, name, "#");
        }
    }

    @AfterAll
    static void stop() {
        kafkaProxy.close();
        kafka.close();
        rabbitProxy.close();
        rabbit.close();
    }

    @ParameterizedTest
    @MethodSource("otherOutages")
    @Tag("soak")
    void othersShowAsWell(Outage outage) {
        showsEverywhereWithItsCauseCostsNoAttemptAndEndsSoon(outage);
    }

    @ParameterizedTest
    @MethodSource("outages")
    void showsEverywhereWithItsCauseCostsNoAttemptAndEndsSoon(Outage outage) {
        AtomicInteger doneBefore = new AtomicInteger();
        try (LogLines log = new LogLines()) {
            runner(outage).run(context -> {
                if (!outage.isThereBefore()) {
                    publish(context, 1);
                    await().atMost(Duration.ofSeconds(20)).until(() -> done(context) == 1);
                    outage.begin.run();
                }

                publish(context, 20);

                try {
                    await().atMost(NOTICED).untilAsserted(() -> assertShown(outage, context, log));
                } finally {
                    doneBefore.set(done(context));
                    outage.end.run();
                }
                await().pollInterval(Duration.ofMillis(20)).atMost(BACK).until(() -> done(context) > doneBefore.get());

                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(rows(context)).allSatisfy(row -> {
                            assertThat(row.get("STATUS")).hasToString("1");
                            assertThat(row.get("ATTEMPTS")).hasToString("0");
                        }));
                await().untilAsserted(() -> {
                    assertThat(context.getBean(Outbox.class).status().unavailable())
                            .isEmpty();
                    assertThat(unavailable(context)).isZero();
                });
            });
        }
    }

    static Stream<Arguments> missingTargets() {
        return Stream.of(
                Arguments.of("Kafka", kafka("", "", null, null).settings, "Kafka has no topic absent", (Outage.Step)
                        () -> createTopic("absent")),
                Arguments.of("RabbitMQ", rabbit("", "", null, null).settings, "no exchange 'absent'", (Outage.Step)
                        () -> declareQueue("absent")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("missingTargets")
    void aMissingTargetShowsEverywhereAndConcernsOnlyTheEventsThatNameIt(
            String broker, List<String> settings, String cause, Outage.Step create) {
        try (LogLines log = new LogLines()) {
            TestApplication.runner()
                    .withPropertyValues(
                            "outbox.publisher.events.placed.topic=#{headers['to']}",
                            "outbox.publisher.defaults.max-retries=1000",
                            "outbox.publisher.defaults.backoff.enabled=false",
                            "outbox.publisher.defaults.fixed-delay=1s",
                            "management.endpoints.web.exposure.include=*")
                    .withPropertyValues(settings.toArray(String[]::new))
                    .run(context -> {
                        publishTo(context, "absent");
                        publishTo(context, ORDERS);

                        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                            assertEverywhere(cause, context);
                            assertThat(log.at(Level.WARNING))
                                    .anySatisfy(line -> assertThat(line).contains(cause));
                        });
                        publishTo(context, ORDERS);
                        await().atMost(Duration.ofSeconds(20)).until(() -> done(context) == 2);
                        assertThat(context.getBean(Outbox.class).status().unavailable())
                                .singleElement()
                                .satisfies(target -> assertThat(target.cause()).startsWith("Only events for "));

                        create.run();
                        await().atMost(Duration.ofSeconds(40)).until(() -> done(context) == 3);
                        await().untilAsserted(() -> assertThat(
                                        context.getBean(Outbox.class).status().unavailable())
                                .isEmpty());
                    });
        }
    }

    private static void publishTo(BeanFactory context, String target) {
        Deliveries.inTransaction(
                context,
                () -> context.getBean(OutboxPublisher.class)
                        .event("placed")
                        .header("to", target)
                        .publish("{}"));
    }

    private static void assertEverywhere(String cause, BeanFactory context) throws ReflectiveOperationException {
        assertThat(context.getBean(Outbox.class).status().unavailable())
                .singleElement()
                .satisfies(target -> assertThat(target.cause()).contains(cause));
        assertThat(Health.of(context).details().toString()).contains("eventType=placed", cause);
        assertThat(context.getBean(OutboxEndpoint.class).outboxes().toString()).contains("eventType=placed", cause);
    }

    private static void assertShown(Outage outage, BeanFactory context, LogLines log)
            throws ReflectiveOperationException {
        assertEverywhere(outage.cause, context);
        assertThat(unavailable(context)).isEqualTo(1);
        assertThat(log.at(Level.WARNING))
                .anySatisfy(line -> assertThat(line).contains("The target of placed is", outage.cause));
    }

    private static ApplicationContextRunner runner(Outage outage) {
        return TestApplication.runner()
                .withPropertyValues(
                        "outbox.publisher.events.placed.topic=" + ORDERS,
                        "outbox.publisher.defaults.max-retries=0",
                        "management.endpoints.web.exposure.include=*")
                .withPropertyValues(outage.settings.toArray(String[]::new));
    }

    private static void publish(BeanFactory context, int count) {
        Deliveries.inTransaction(context, () -> {
            for (int i = 0; i < count; i++) {
                context.getBean(OutboxPublisher.class).publish("placed", i);
            }
        });
    }

    private static double unavailable(BeanFactory context) {
        return context.getBean(MeterRegistry.class)
                .get("outbox.route.unavailable")
                .tag("event.type", "placed")
                .gauge()
                .value();
    }

    private static int done(BeanFactory context) {
        return (int) rows(context).stream()
                .filter(row -> row.get("STATUS").toString().equals("1"))
                .count();
    }

    private static List<Map<String, Object>> rows(BeanFactory context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status, attempts FROM outbox_event");
    }
}
