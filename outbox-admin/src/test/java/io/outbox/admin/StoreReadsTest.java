package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.support.LogLines;
import java.net.InetAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Operators who look at a store that does not answer leave the application its connections, and its log readable. */
@Timeout(120)
class StoreReadsTest {

    private static final int POOL = 5;
    private static final int REQUESTS = 30;

    private static AdminResponse get(OutboxAdmin admin, String path) {
        return admin.handle(new AdminRequest(
                AdminRequest.Target.of("GET", BASE + path, null),
                Map.of("Host", "localhost"),
                new byte[0],
                InetAddress.getLoopbackAddress(),
                null));
    }

    @Test
    void aLockedTableLeavesTheApplicationItsConnections() throws Exception {
        String url = PostgresServer.shared().newDatabase();
        ExecutorService browsers = Executors.newFixedThreadPool(REQUESTS);
        try (HikariDataSource pool = pool(url);
                Outbox outbox = Outbox.writerOnly()
                        .backend(JdbcOutbox.of(pool).createSchema().backend())
                        .build();
                OutboxAdmin admin = OutboxAdmin.of(outbox).build();
                Connection other = DriverManager.getConnection(url)) {
            other.setAutoCommit(false);
            JdbcTemplate.update(other, "LOCK TABLE outbox_event IN ACCESS EXCLUSIVE MODE");

            List<Future<AdminResponse>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                answers.add(browsers.submit(() -> get(admin, "/events")));
            }
            List<AdminResponse> refused = new ArrayList<>();
            for (Future<AdminResponse> answer : answers) {
                useConnection(pool);
                refused.add(answer.get());
            }

            assertThat(refused).extracting(AdminResponse::status).containsOnly(503);
            assertThat(refused.stream().map(answer -> answer.headers().get("Retry-After")))
                    .filteredOn("2"::equals)
                    .hasSize(REQUESTS - StoreReads.MOST);
            other.rollback();
            assertThat(get(admin, "/events").status()).isEqualTo(200);
        } finally {
            browsers.shutdown();
        }
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(1000);
        return new HikariDataSource(config);
    }

    private static void useConnection(HikariDataSource pool) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.query(conn, "SELECT 1", row -> row.getInt(1));
        }
    }

    @Test
    void anOutageIsLoudOnceAndSoIsItsEnd() throws SQLException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters();
                LogLines log = new LogLines(StoreReads.class)) {
            for (int outage = 0; outage < 2; outage++) {
                rename(fixture, "outbox_event", "moved_away");
                Stream.of(1, 2)
                        .forEach(i -> assertThat(fixture.get(BASE + "/events").status())
                                .isEqualTo(503));
                assertThat(fixture.get(BASE + "/session").status())
                        .as("needs no store, so it does not end the outage")
                        .isEqualTo(200);
                assertThat(fixture.get(BASE + "/events").status()).isEqualTo(503);
                rename(fixture, "moved_away", "outbox_event");
                assertThat(fixture.get(BASE + "/events").status()).isEqualTo(200);
            }

            assertThat(log.at(Level.SEVERE)).hasSize(2).allMatch(line -> line.contains("/events"));
            assertThat(log.at(Level.INFO)).hasSize(2).allMatch(line -> line.contains("again"));
        }
    }

    private static void rename(AdminFixture fixture, String from, String to) throws SQLException {
        try (Connection conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(conn, "ALTER TABLE " + from + " RENAME TO " + to);
        }
    }
}
