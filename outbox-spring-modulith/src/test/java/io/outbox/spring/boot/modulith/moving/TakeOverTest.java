package io.outbox.spring.boot.modulith.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.Orders;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.stereotype.Component;

/** The scripts of docs/moving.md, on the tables that they are for. */
class TakeOverTest {

    private static final Path SCRIPTS = Path.of("../docs/moving");
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final List<Object> SENT = new CopyOnWriteArrayList<>();
    private static final List<Object> RESERVED = new CopyOnWriteArrayList<>();
    private static volatile boolean down;

    static Stream<Arguments> mySqlServers() {
        return Stream.of(Arguments.of(MySqlServer.shared()), Arguments.of(MariaDbServer.shared()));
    }

    @Test
    void incompletePublicationsOfSpringModulithAreDelivered() {
        PostgresServer postgres = PostgresServer.shared();
        String url = postgres.newDatabase();
        JdbcTemplate jdbc = jdbc(postgres, url);
        OrderCompleted order = new OrderCompleted("1", 10);

        down = true;
        try (ConfigurableApplicationContext before = start(postgres, url, "outbox.schema.initialize=always")) {
            before.getBean(Orders.class).publish(order);
            await().atMost(LIMIT)
                    .until(() -> jdbc.queryForObject(
                                    "SELECT COUNT(*) FROM event_publication WHERE status = 'FAILED'", Integer.class)
                            == 2);
        }
        run("modulith-postgresql.sql", jdbc);
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM event_publication", Integer.class))
                .isZero();

        down = false;
        try (ConfigurableApplicationContext after = start(
                postgres,
                url,
                "spring.modulith.events.externalization.mode=outbox",
                "outbox.modulith.listeners=true")) {
            assertThat(after.isActive()).isTrue();
            await().atMost(LIMIT)
                    .untilAsserted(() -> assertThat(jdbc.queryForList(
                                    "SELECT event_type, status FROM outbox_event ORDER BY event_type"))
                            .extracting(row -> row.get("event_type"), row -> row.get("status"))
                            .containsExactly(
                                    tuple("OrderCompleted#externalization", 1),
                                    tuple("OrderCompleted#inventory.reserve", 1)));
        }
        assertThat(SENT).containsExactly(order);
        assertThat(RESERVED).containsExactly(order);
    }

    @ParameterizedTest
    @MethodSource("mySqlServers")
    void publicationsAreTakenOverOnMySqlToo(DatabaseServer server) {
        JdbcTemplate jdbc = withOutbox(server);
        new ResourceDatabasePopulator(
                        new ClassPathResource("org/springframework/modulith/events/jdbc/schemas/v2/schema-mysql.sql"))
                .execute(jdbc.getDataSource());
        Object[][] publications = {
            {"a", "shop.inventory.Stock$Keeper.on(shop.OrderCompleted)", null},
            {
                "b",
                "org.springframework.modulith.events.support.EventExternalizerModuleListener.externalize(java.lang.Object)",
                null
            },
            {"c", "mail", null},
            {"d", "shop.Mail.send(shop.OrderCompleted)", "2026-01-01 00:00:00"}
        };
        for (Object[] publication : publications) {
            jdbc.update("""
                    INSERT INTO EVENT_PUBLICATION (ID, LISTENER_ID, EVENT_TYPE, SERIALIZED_EVENT, PUBLICATION_DATE, COMPLETION_DATE)
                    VALUES (?, ?, 'shop.OrderCompleted', '{"id":"1"}', CURRENT_TIMESTAMP(6), ?)
                    """, publication);
        }

        run("modulith-mysql.sql", jdbc);

        assertThat(jdbc.queryForList("SELECT * FROM outbox_event ORDER BY event_id"))
                .extracting(row -> row.get("event_type"))
                .containsExactly("OrderCompleted#keeper.on", "OrderCompleted#externalization", "OrderCompleted#mail");
        assertThat(jdbc.queryForList("SELECT headers FROM outbox_event", String.class))
                .allSatisfy(headers -> assertThat(headers.replace(" ", ""))
                        .isEqualTo("{\"modulith_event_class\":\"shop.OrderCompleted\"}"));
        assertThat(
                        jdbc.queryForList(
                                "SELECT event_id FROM outbox_event WHERE ABS(TIMESTAMPDIFF(SECOND, created_at, UTC_TIMESTAMP(6))) > 60"))
                .as("times that are not UTC")
                .isEmpty();
        assertThat(jdbc.queryForList("SELECT ID FROM EVENT_PUBLICATION", String.class))
                .containsExactly("d");
    }

    @Test
    void callsOfTransactionOutboxAreTakenOverOnPostgreSql() {
        JdbcTemplate jdbc = withOutbox(PostgresServer.shared());
        jdbc.execute("""
                CREATE TABLE txno_outbox (id VARCHAR(36) PRIMARY KEY, invocation TEXT, lastattempttime TIMESTAMP(6),
                    nextattempttime TIMESTAMP(6), attempts INT, blocked BOOLEAN, version INT, uniquerequestid VARCHAR(250),
                    processed BOOLEAN, topic VARCHAR(250) NOT NULL DEFAULT '*', seq BIGINT)
                """);

        takesOverCalls("gruelbox-postgresql.sql", jdbc);
    }

    @ParameterizedTest
    @MethodSource("mySqlServers")
    void callsOfTransactionOutboxAreTakenOverOnMySql(DatabaseServer server) {
        JdbcTemplate jdbc = withOutbox(server);
        jdbc.execute("""
                CREATE TABLE TXNO_OUTBOX (id VARCHAR(36) PRIMARY KEY, invocation MEDIUMTEXT, lastAttemptTime TIMESTAMP(6) NULL,
                    nextAttemptTime TIMESTAMP(6) NULL, attempts INT, blocked VARCHAR(250), version INT,
                    uniqueRequestId VARCHAR(250), processed BOOLEAN, topic VARCHAR(250) NOT NULL DEFAULT '*', seq BIGINT)
                """);

        takesOverCalls("gruelbox-mysql.sql", jdbc);
    }

    private static void takesOverCalls(String script, JdbcTemplate jdbc) {
        String table = script.contains("mysql") ? "TXNO_OUTBOX" : "txno_outbox";
        Object[][] calls = {
            {"b", 1, false, false, "orders", 2L},
            {"a", 0, false, false, "orders", 1L},
            {"c", 5, true, false, "*", null},
            {"d", 1, false, true, "*", null}
        };
        for (Object[] call : calls) {
            jdbc.update("""
                    INSERT INTO %s (id, invocation, nextAttemptTime, attempts, blocked, processed, topic, seq)
                    VALUES (?, '{"c":"Mail","m":"send","p":["String"],"a":[{"t":"String","v":"x"}]}', CURRENT_TIMESTAMP, ?, ?, ?, ?, ?)
                    """.formatted(table), call);
        }

        run(script, jdbc);

        List<Map<String, Object>> taken = jdbc.queryForList("SELECT * FROM outbox_event ORDER BY created_at");
        assertThat(taken)
                .extracting(
                        row -> row.get("event_id"),
                        row -> ((Number) row.get("status")).intValue(),
                        row -> row.get("aggregate_id"))
                .containsExactlyInAnyOrder(tuple("a", 0, "orders"), tuple("b", 0, "orders"), tuple("c", 3, null));
        assertThat(taken)
                .extracting(row -> row.get("event_id"))
                .filteredOn(id -> !id.equals("c"))
                .containsExactly("a", "b");
        assertThat(jdbc.queryForList("SELECT id FROM " + table, String.class)).containsExactly("d");
    }

    private static ConfigurableApplicationContext start(DatabaseServer server, String url, String... settings) {
        return ShopApplication.start(
                List.of(Shop.class, Inventory.class),
                Stream.concat(
                                Stream.of(
                                        "spring.datasource.url=" + url,
                                        "spring.datasource.username=" + server.user(),
                                        "spring.datasource.password=" + server.password()),
                                Stream.of(settings))
                        .toArray(String[]::new));
    }

    private static JdbcTemplate withOutbox(DatabaseServer server) {
        JdbcTemplate jdbc = jdbc(server, server.newDatabase());
        JdbcOutbox.of(jdbc.getDataSource()).createSchema();
        return jdbc;
    }

    private static JdbcTemplate jdbc(DatabaseServer server, String url) {
        return new JdbcTemplate(new DriverManagerDataSource(url, server.user(), server.password()));
    }

    private static void run(String script, JdbcTemplate jdbc) {
        new ResourceDatabasePopulator(new FileSystemResource(SCRIPTS.resolve(script))).execute(jdbc.getDataSource());
    }

    static class Shop {

        @Bean
        EventExternalizationTransport transport() {
            return (payload, target) -> {
                if (down) {
                    return CompletableFuture.failedFuture(new IllegalStateException("broker down"));
                }
                SENT.add(payload);
                return CompletableFuture.completedFuture(payload);
            };
        }

        /** As a module of Spring Modulith does it by default. */
        @Bean
        @ConditionalOnProperty(
                name = "spring.modulith.events.externalization.mode",
                havingValue = "module-listener",
                matchIfMissing = true)
        EventExternalizerModuleListener externalizer(
                EventExternalizationConfiguration configuration, EventExternalizationTransport transport) {
            return new EventExternalizerModuleListener(configuration, transport);
        }
    }

    @Component("inventory")
    static class Inventory {

        @ApplicationModuleListener
        void reserve(OrderCompleted event) {
            if (down) {
                throw new IllegalStateException("warehouse down");
            }
            RESERVED.add(event);
        }
    }
}
