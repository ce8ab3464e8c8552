package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.lettuce.core.RedisFuture;
import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.model.OutboxStatus.State;
import io.outbox.redis.RedisOutbox;
import io.outbox.redis.RedisOutboxException;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.actuator.OutboxEndpoint;
import io.outbox.testservers.Certificates;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An outbox in Redis, by {@code outbox.backend} and the application's {@code spring.data.redis}. */
class OutboxRedisTest {

    private static final String DATA_SOURCES =
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                    + "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration";

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static RedisServer server;

    private final String name = "shop-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        server = RedisServer.start("--appendonly", "yes", "--appendfsync", "no");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private String[] settings(RedisServer redis) {
        return new String[] {
            "outbox.backend=redis",
            "outbox.redis.name=" + name,
            "spring.data.redis.host=127.0.0.1",
            "spring.data.redis.port=" + redis.port(),
            "spring.data.redis.password=" + redis.password(),
            "spring.data.redis.timeout=10s"
        };
    }

    private ApplicationContextRunner runner(Class<?>... configurations) {
        return TestApplication.runner(configurations).withPropertyValues(settings(server));
    }

    private static void write(ApplicationContext context, String payload) {
        context.getBean(OutboxWriter.class).write("Placed", payload);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.mode=single-node",
                "outbox.mode=multi-node,outbox.claim-locking.enabled=true",
                "outbox.mode=ordered",
                "outbox.purge.enabled=true,outbox.purge.retention=0s"
            })
    void deliversInEveryModeWithoutATransactionAndWithoutATable(String properties) {
        runner(Deliveries.class).withPropertyValues(properties.split(",")).run(context -> {
            assertThat(context.getBean(Outbox.class).state()).isEqualTo(State.RUNNING);
            write(context, "1");
            write(context, "2");

            awaitPayloads(context, "1", "2");
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForList("SELECT table_name FROM information_schema.tables"
                                    + " WHERE LOWER(table_name) = 'outbox_event'"))
                    .isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox.mode=single-node", "outbox.mode=multi-node,outbox.claim-locking.enabled=true"})
    void keepsTheOrderOfKeys(String properties) {
        runner(Deliveries.class)
                .withPropertyValues("outbox.ordering=key")
                .withPropertyValues(properties.split(","))
                .run(context -> {
                    List<String> numbers =
                            IntStream.range(0, 50).mapToObj(String::valueOf).toList();

                    numbers.forEach(number -> context.getBean(RedisOutbox.class)
                            .inTransaction(commands -> context.getBean(OutboxWriter.class)
                                    .write(EventEnvelope.builder("Placed")
                                            .aggregateId("one")
                                            .payloadJson(number)
                                            .build())));

                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(context.getBean(Deliveries.class).events)
                                    .extracting(EventEnvelope::payloadJson)
                                    .isEqualTo(numbers));
                    assertThat(context.getBean(Outbox.class).blockedKeys()).isPresent();
                });
    }

    @Test
    void needsNoDataSource() {
        runner(Deliveries.class)
                .withPropertyValues("spring.autoconfigure.exclude=" + DATA_SOURCES)
                .run(context -> {
                    assertThat(context).doesNotHaveBean(DataSource.class);
                    write(context, "1");
                    awaitPayloads(context, "1");
                });
    }

    @Test
    void writesBusinessDataAndEventsTogether() {
        runner(Deliveries.class).run(context -> {
            RedisFuture<String> stored = context.getBean(RedisOutbox.class).callInTransaction(commands -> {
                write(context, "1");
                return commands.set("{" + name + "}:order", "placed");
            });

            assertThat(stored.get()).isEqualTo("OK");
            awaitPayloads(context, "1");
        });
    }

    @Test
    void inATransactionOfSpringAnEventIsStoredAtOnceAndDeliveredAtItsEndWhateverThatIs() {
        runner(Deliveries.class)
                .withPropertyValues("outbox.claim-locking.enabled=true", "outbox.poller.interval-ms=3600000")
                .run(context -> {
                    inTransaction(context, () -> {
                        write(context, "1");
                        assertHeld(context);
                    });
                    awaitPayloads(context, "1");

                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(tx -> {
                                write(context, "2");
                                assertHeld(context);
                                tx.setRollbackOnly();
                            });
                    awaitPayloads(context, "1", "2");
                });
    }

    /** It is stored, in the hands of this node, and not delivered yet. */
    private static void assertHeld(ApplicationContext context) {
        OutboxBackend backend = context.getBean(OutboxBackend.class);
        await().untilAsserted(() -> assertThat(backend.counts())
                .singleElement()
                .satisfies(count -> assertThat(count.inProcess()).isEqualTo(1)));
    }

    @Test
    void whatAnotherApplicationWritesIsDeliveredWithoutWaitingForAPoll() {
        runner(Deliveries.class)
                .withPropertyValues("outbox.claim-locking.enabled=true", "outbox.poller.interval-ms=3600000")
                .run(delivering -> runner().withPropertyValues("outbox.mode=writer-only")
                        .run(writing -> {
                            write(writing, "1");
                            awaitPayloads(delivering, "1");
                        }));
    }

    @Test
    void publishesToKafka() throws Exception {
        String topic = "orders-" + UUID.randomUUID();
        try (KafkaTopic reader = KafkaTopic.create(KafkaServer.shared(), topic)) {
            runner().withPropertyValues(
                            "spring.kafka.bootstrap-servers="
                                    + KafkaServer.shared().bootstrapServers(),
                            "outbox.publisher.sender.type=kafka",
                            "outbox.publisher.events.placed.topic=" + topic)
                    .run(context -> {
                        context.getBean(OutboxPublisher.class).publish("placed", Map.of("id", 1));

                        assertThat(reader.awaitRecords(1).get(0).value()).isEqualTo("{\"id\":1}");
                    });
        }
    }

    @Test
    void publishesToRabbitMq() throws Exception {
        String queue = "orders-" + UUID.randomUUID();
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(RabbitServer.shared().uri());
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare(queue, "direct");
            channel.queueDeclare(queue, false, false, false, Map.of());
            channel.queueBind(queue, queue, "placed");
            runner().withPropertyValues(
                            "spring.rabbitmq.addresses=" + RabbitServer.shared().uri(),
                            "outbox.publisher.sender.type=rabbit_mq",
                            "outbox.publisher.events.placed.topic=" + queue)
                    .run(context -> {
                        context.getBean(OutboxPublisher.class).publish("placed", Map.of("id", 1));

                        AtomicReference<GetResponse> message = new AtomicReference<>();
                        await().atMost(PATIENCE).until(() -> {
                            message.set(channel.basicGet(queue, true));
                            return message.get() != null;
                        });
                        assertThat(message.get().getBody()).asString().isEqualTo("{\"id\":1}");
                        await().atMost(PATIENCE)
                                .until(() ->
                                        context.getBean(Outbox.class).counts().isEmpty());
                    });
        }
    }

    @Test
    void healthEndpointAndMetersShowWhatIsInRedis() {
        runner(Deliveries.class)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> {
                    OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
                    assertThat(endpoint.changeAll(OutboxEndpoint.Action.PAUSE)
                                    .outboxes()
                                    .get("outbox")
                                    .state())
                            .isEqualTo("PAUSED");
                    write(context, "1");
                    context.getBean(OutboxWriter.class).write("Unheard", "2");
                    context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder("Placed")
                                    .payloadJson("3")
                                    .deliverAfter(Duration.ofHours(1))
                                    .build());
                    assertWaiting(endpoint.outboxes().outboxes().get("outbox"));
                    assertThat(Health.of(context).status()).isEqualTo("UP");
                    assertThat(Health.of(context).detail("pending")).isEqualTo(2L);

                    endpoint.change(OutboxEndpoint.Action.RESUME, "outbox");

                    awaitPayloads(context, "1");
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertFinished(
                                    endpoint.outboxes().outboxes().get("outbox")));
                    assertThat(Health.of(context).detail("state")).isEqualTo("RUNNING");
                    assertThat(Health.of(context).detail("dead")).isEqualTo(1);
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(
                                            Health.of(context).details().get("hints"))
                                    .isEqualTo("arrive"));
                    assertMeters(context.getBean(MeterRegistry.class));
                });
    }

    /** One is due and has no listener, one is due, one is not. */
    private static void assertWaiting(OutboxEndpoint.OutboxDescriptor outbox) {
        assertThat(outbox.pending()).isEqualTo(2);
        assertThat(outbox.eventTypes())
                .extracting(
                        OutboxEndpoint.TypeDescriptor::eventType,
                        OutboxEndpoint.TypeDescriptor::pending,
                        OutboxEndpoint.TypeDescriptor::later)
                .containsExactly(tuple("Placed", 1L, 1L), tuple("Unheard", 1L, 0L));
    }

    private static void assertFinished(OutboxEndpoint.OutboxDescriptor outbox) {
        assertThat(outbox.state()).isEqualTo("RUNNING");
        assertThat(outbox.pending()).isZero();
        assertThat(outbox.dead()).isEqualTo(1);
        assertThat(outbox.eventTypes())
                .extracting(OutboxEndpoint.TypeDescriptor::later)
                .containsExactly(1L);
    }

    private static void assertMeters(MeterRegistry meters) {
        assertThat(meters.get("outbox.events.dead").gauge().value()).isEqualTo(1);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                meters.get("outbox.dispatch.success").counter().count())
                        .isEqualTo(1));
        assertThat(meters.get("outbox.listener.duration").timer().count()).isPositive();
    }

    @Test
    void healthIsDownWhileRedisIs() {
        try (RedisServer mortal = RedisServer.start("--appendonly", "yes", "--appendfsync", "no")) {
            runner(Deliveries.class).withPropertyValues(settings(mortal)).run(context -> {
                assertThat(Health.of(context).status()).isEqualTo("UP");
                mortal.kill();

                Health down = Health.of(context);
                assertThat(down.status()).isEqualTo("DOWN");
                assertThat(down.detail("state")).isEqualTo("RUNNING");
                assertThat(down.detail("reasons"))
                        .asString()
                        .contains("the store cannot be asked")
                        .doesNotContain(mortal.password());

                mortal.restart();
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(Health.of(context).status()).isEqualTo("UP"));
            });
        }
    }

    @Test
    void connectsAsAUserOverTlsAndWaitsForReplicasAsToldBySettings(@TempDir Path directory) {
        Certificates certificates = Certificates.create(directory);
        try (RedisServer secure = RedisServer.startWithTls(
                certificates, "--appendonly", "yes", "--user", "shop", "on", ">secret", "~*", "&*", "+@all")) {
            runner(Deliveries.class)
                    .withPropertyValues(
                            "spring.data.redis.host=localhost",
                            "spring.data.redis.port=" + secure.tlsPort(),
                            "spring.data.redis.username=shop",
                            "spring.data.redis.password=secret",
                            "spring.data.redis.ssl.bundle=redis",
                            "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificates.certificate(),
                            "outbox.redis.wait-for-replicas=1",
                            "outbox.redis.replica-timeout=10ms")
                    .run(context -> {
                        assertThatThrownBy(() -> write(context, "1"))
                                .isInstanceOf(RedisOutboxException.class)
                                .hasMessageContaining("within 10 ms only 0 of 1 replicas");
                        awaitPayloads(context, "1");
                    });
        }
    }

    // Failures at the start

    private FailureAnalysis failure(String... settings) {
        return FailedStart.of("--" + String.join(" --", settings), Deliveries.class);
    }

    @Test
    void aServerThatMayEvictEventsIsRefused() {
        try (RedisServer evicting = RedisServer.start("--maxmemory-policy", "allkeys-lru")) {
            FailureAnalysis analysis = failure(settings(evicting));

            assertThat(analysis.getDescription())
                    .contains("The outbox cannot rely on its Redis")
                    .contains("maxmemory-policy 'allkeys-lru'");
            assertThat(analysis.getAction()).contains("spring.data.redis");
        }
    }

    @Test
    void aServerThatIsDownIsNamedWithoutItsPassword() {
        String[] settings = settings(server);
        settings[3] = "spring.data.redis.port=1";

        FailureAnalysis analysis = failure(settings);

        assertThat(analysis.getDescription())
                .contains("The outbox cannot use its Redis")
                .contains("127.0.0.1")
                .doesNotContain(server.password());
    }

    @Test
    void whatRedisCannotDoIsRefused() {
        String[] settings = Arrays.copyOf(settings(server), 7);
        settings[6] = "outbox.publisher.dlq.enabled=true";
        assertThat(failure(settings).getDescription()).contains("outbox.publisher.dlq.enabled is true");

        settings[6] = "spring.data.redis.masterreplica.nodes=127.0.0.1:" + server.port();
        assertThat(failure(settings).getDescription()).contains("spring.data.redis.masterreplica does not name");

        String[] misnamed = settings(server);
        misnamed[1] = "outbox.redis.name={shop}";
        assertThat(failure(misnamed).getDescription())
                .contains("outbox.redis is not valid")
                .contains("'{shop}'");
    }

    @Test
    void withoutAClientOfRedisTheStartFailsInsteadOfUsingATable() {
        runner(Deliveries.class)
                .withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.backend is redis")
                        .hasStackTraceContaining("spring-boot-starter-data-redis"));
    }
}
