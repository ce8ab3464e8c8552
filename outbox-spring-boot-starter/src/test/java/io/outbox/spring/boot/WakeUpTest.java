package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.wakeup.PostgresWakeUp;
import io.outbox.spi.WakeUp;
import io.outbox.testservers.PostgresServer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Hints between applications on one database, whose pollers would otherwise sleep through the test. */
class WakeUpTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url = PostgresServer.shared().newDatabase();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Writing {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Delivering {

        final Set<String> delivered = ConcurrentHashMap.newKeySet();
        final AtomicInteger calls = new AtomicInteger();

        @OutboxListener(eventType = "Hinted")
        void on(EventEnvelope event) {
            calls.incrementAndGet();
            delivered.add(event.eventId());
        }
    }

    private ConfigurableApplicationContext start(Class<?> application, String... settings) {
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.main.banner-mode=off",
                        "outbox.schema.initialize=always",
                        "outbox.poller.interval=1h",
                        "outbox.poller.min-interval=1h")
                .properties(settings)
                .run();
    }

    @Test
    void whatAnApplicationThatOnlyWritesCommitsIsDeliveredByAnotherAtOnce() {
        try (ConfigurableApplicationContext delivering = start(Delivering.class, "outbox.mode=multi-node");
                ConfigurableApplicationContext writing = start(Writing.class, "outbox.mode=writer-only")) {
            await().atMost(PATIENCE).until(delivering.getBean(WakeUp.class)::isConnected);
            TransactionTemplate transaction =
                    new TransactionTemplate(writing.getBean(PlatformTransactionManager.class));
            Delivering deliveries = delivering.getBean(Delivering.class);

            for (int i = 0; i < 10; i++) {
                String id = transaction.execute(
                        status -> writing.getBean(OutboxWriter.class).write(EventEnvelope.ofJson("Hinted", "{}")));

                await().atMost(PATIENCE).until(() -> deliveries.delivered.contains(id));
            }
        }
    }

    /** Locks last for an hour here: what an instance kept for itself would not arrive in time. */
    @Test
    void anInstanceWhoseDeliveryIsNotStartedKeepsNothingFromTheOthers() {
        String[] settings = {
            "outbox.mode=multi-node",
            "outbox.claim-locking.lock-timeout=1h",
            "outbox.wake-up.mode=off",
            "outbox.poller.interval=100ms",
            "outbox.poller.min-interval=100ms"
        };
        try (ConfigurableApplicationContext one = start(Delivering.class, settings);
                ConfigurableApplicationContext other = start(Delivering.class, settings);
                ConfigurableApplicationContext idle = start(
                        Delivering.class,
                        Stream.concat(Stream.of("outbox.auto-startup=false"), Stream.of(settings))
                                .toArray(String[]::new))) {
            Set<String> written = ConcurrentHashMap.newKeySet();
            TransactionTemplate transaction = new TransactionTemplate(idle.getBean(PlatformTransactionManager.class));
            for (int i = 0; i < 100; i++) {
                written.add(transaction.execute(
                        status -> idle.getBean(OutboxWriter.class).write(EventEnvelope.ofJson("Hinted", "{}"))));
            }

            await().atMost(PATIENCE).untilAsserted(() -> {
                Set<String> delivered = new HashSet<>(one.getBean(Delivering.class).delivered);
                delivered.addAll(other.getBean(Delivering.class).delivered);
                assertThat(delivered).isEqualTo(written);
            });
            assertThat(idle.getBean(Delivering.class).delivered).isEmpty();
            assertThat(one.getBean(Delivering.class).calls.get()
                            + other.getBean(Delivering.class).calls.get())
                    .isEqualTo(written.size());

            idle.getBean(Outbox.class).start();
            String last = transaction.execute(
                    status -> idle.getBean(OutboxWriter.class).write(EventEnvelope.ofJson("Hinted", "{}")));
            await().atMost(PATIENCE)
                    .until(() -> Stream.of(one, other, idle)
                            .anyMatch(node ->
                                    node.getBean(Delivering.class).delivered.contains(last)));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "multi-node, auto, 5, true",
        "multi-node, off, 5, false",
        "multi-node, auto, 1, false",
        "single-node, auto, 5, false",
        "single-node, on, 5, true",
        "writer-only, auto, 1, true",
    })
    void hintsAreThereWhereTheyAreOfUse(String mode, String hints, int pool, boolean expected) {
        try (ConfigurableApplicationContext application = start(
                Writing.class,
                "outbox.mode=" + mode,
                "outbox.wake-up.mode=" + hints,
                "spring.datasource.hikari.maximum-pool-size=" + pool)) {
            WakeUp wakeUp = application.getBean(WakeUp.class);

            assertThat(wakeUp instanceof PostgresWakeUp).isEqualTo(expected);
        }
    }

    @Test
    void hintsAreHeardByTheAddressThatIsSet() {
        try (ConfigurableApplicationContext application = start(
                Writing.class,
                "outbox.mode=multi-node",
                "outbox.wake-up.listen-url=" + url,
                "spring.datasource.hikari.maximum-pool-size=1")) {
            await().atMost(PATIENCE).until(application.getBean(WakeUp.class)::isConnected);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "h2 | 5 | this database has no hints",
                "postgresql | 1 | the pool has fewer than two connections",
            })
    void hintsThatCannotBeAreRefusedByName(String database, int pool, String reason) {
        String settings = "--outbox.mode=multi-node --outbox.wake-up.mode=on --outbox.schema.initialize=always"
                + " --spring.datasource.hikari.maximum-pool-size=" + pool
                + " --spring.datasource.url=" + (database.equals("h2") ? "jdbc:h2:mem:hints" : url);

        assertThat(FailedStart.of(settings).getDescription()).contains("outbox.wake-up.mode is on, but " + reason);
    }
}
