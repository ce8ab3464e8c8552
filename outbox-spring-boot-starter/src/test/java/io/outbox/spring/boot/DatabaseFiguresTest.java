package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the database tells about itself, in health and meters. */
class DatabaseFiguresTest {

    private final String url = PostgresServer.shared().newDatabase();
    private final ApplicationContextRunner runner = TestApplication.runner(Deliveries.class)
            .withPropertyValues(
                    "spring.datasource.url=" + url,
                    "outbox.schema.initialize=always",
                    "management.endpoints.web.exposure.include=*");

    @Test
    void healthAndMetersShowWhatTheDatabaseTells() {
        runner.run(context -> {
            Health health = Health.of(context);

            assertThat(health.status()).isEqualTo("UP");
            assertThat(health.detail("database"))
                    .asInstanceOf(MAP)
                    .containsKeys("dead.rows", "notification.queue.usage", "blocked.statements");
            assertThat(health.detail("databaseAdvice")).isNull();
            assertThat(context.getBean(MeterRegistry.class)
                            .get("outbox.database.notification.queue.usage")
                            .gauge()
                            .value())
                    .isBetween(0.0, 1.0);
        });
    }

    @Test
    void adviceIsADetailAndNoReasonToBeDown() {
        runner.run(context -> {
            try (Connection locking = DriverManager.getConnection(url);
                    Connection blocked = DriverManager.getConnection(url);
                    Connection looking = DriverManager.getConnection(url);
                    Statement lock = locking.createStatement();
                    Statement wait = blocked.createStatement()) {
                locking.setAutoCommit(false);
                lock.execute("LOCK TABLE outbox_event IN SHARE ROW EXCLUSIVE MODE");
                Thread waiting = new Thread(() -> {
                    try {
                        wait.execute("UPDATE outbox_event SET attempts = 0 WHERE event_id = 'none'");
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                waiting.start();
                awaitLongLockWait(looking);

                Health health = Health.of(context);

                locking.rollback();
                waiting.join();
                assertThat(health.status()).isEqualTo("UP");
                assertThat(health.detail("databaseAdvice"))
                        .isEqualTo(
                                List.of(
                                        "Statements on the outbox table have waited for a lock for seconds: pg_blocking_pids(pid) names who has it"));
                assertThat((Map<?, ?>) health.detail("database")).isNotEmpty();
            }
        });
    }

    /** Health keeps its answer for a minute, so it is asked when the wait is already long. */
    private static void awaitLongLockWait(Connection looking) {
        await().atMost(Duration.ofMinutes(1)).until(() -> {
            try (Statement statement = looking.createStatement();
                    ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity"
                            + " WHERE wait_event_type = 'Lock' AND datname = current_database()"
                            + " AND query_start < clock_timestamp() - INTERVAL '6' SECOND")) {
                row.next();
                return row.getInt(1) > 0;
            }
        });
    }
}
