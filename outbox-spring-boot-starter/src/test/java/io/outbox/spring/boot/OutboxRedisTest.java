package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisFuture;
import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.model.OutboxStatus.State;
import io.outbox.redis.RedisOutbox;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.actuator.OutboxHealthCheck;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RedisServer;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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
    void healthAndMetersAskRedis() {
        try (RedisServer mortal = RedisServer.start("--appendonly", "yes", "--appendfsync", "no")) {
            runner(Deliveries.class)
                    .withPropertyValues(settings(mortal))
                    .withPropertyValues("spring.data.redis.timeout=1s")
                    .run(context -> {
                        OutboxHealthCheck health = new OutboxHealthCheck(
                                context.getBeansOfType(Outbox.class), context.getBean(OutboxSettings.class));
                        write(context, "1");
                        awaitPayloads(context, "1");
                        context.getBean(OutboxWriter.class).write("Unknown", "2");
                        await().untilAsserted(() -> assertThat(
                                        context.getBean(Outbox.class).status().dead())
                                .isEqualTo(1));

                        assertThat(health.check().up()).isTrue();
                        assertThat(context.getBean(MeterRegistry.class)
                                        .get("outbox.events.dead")
                                        .gauge()
                                        .value())
                                .isEqualTo(1);
                        mortal.kill();
                        assertThat(health.check().up()).isFalse();
                        assertThat(health.check().details().toString()).contains("the store cannot be asked");
                        mortal.restart();
                        await().untilAsserted(
                                        () -> assertThat(health.check().up()).isTrue());
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
    void withoutAClientOfRedisTheStartFailsInsteadOfUsingATable() {
        runner(Deliveries.class)
                .withClassLoader(new FilteredClassLoader(LettuceConnectionFactory.class))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.backend is redis")
                        .hasStackTraceContaining("spring-boot-starter-data-redis"));
    }
}
