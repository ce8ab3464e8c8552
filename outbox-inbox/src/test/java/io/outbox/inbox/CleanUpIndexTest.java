package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finding old marks costs the same, however many young ones there are. */
class CleanUpIndexTest {

    @ParameterizedTest
    @CsvSource({
        "H2,         outbox_consumed_event_age, tableScan",
        "POSTGRESQL, outbox_consumed_event_age, Seq Scan",
        "MYSQL,      idx_consumer_consumed,     Using filesort",
        "MARIADB,    idx_consumer_consumed,     Using filesort"
    })
    void theCleanUpReadsOldMarksByAnIndex(TestDatabase database, String index, String tooMuch) throws SQLException {
        AtomicReference<String> delete = new AtomicReference<>();
        try (Node node = new Node(
                        database.newUrl(),
                        pool -> Intercepted.dataSource(pool, call -> {
                            if (call.executes("DELETE FROM outbox_consumed_event")) {
                                delete.set(call.sql());
                            }
                            return call.proceed();
                        }));
                InboxCleanUp cleanUp = node.inbox().cleanUp().build()) {
            List<String> ids = Stream.generate(() -> UUID.randomUUID().toString())
                    .limit(5_000)
                    .toList();
            node.inbox().consumer().build().consume(ids, id -> id, fresh -> {});
            node.consumer("shipping").consume(ids, id -> id, fresh -> {});
            try (Connection conn = node.openConnection()) {
                JdbcTemplate.update(
                        conn,
                        "UPDATE outbox_consumed_event SET consumed_at = ? WHERE consumer = ? AND event_id = ?",
                        Instant.parse("2019-01-01T00:00:00Z"),
                        JdbcInbox.DEFAULT_CONSUMER,
                        ids.get(0));
            }
            cleanUp.runOnce();

            try (Connection conn = node.openConnection()) {
                assertThat(plan(conn, delete.get())).containsIgnoringCase(index).doesNotContainIgnoringCase(tooMuch);
            }
        }
    }

    private static String plan(Connection conn, String delete) {
        List<Object> params = new ArrayList<>(List.of(JdbcInbox.DEFAULT_CONSUMER));
        if (delete.chars().filter(c -> c == '?').count() == 4) {
            params.add(JdbcInbox.DEFAULT_CONSUMER);
        }
        params.add(Instant.parse("2020-01-01T00:00:00Z"));
        params.add(100);
        return String.join(
                "\n", JdbcTemplate.query(conn, "EXPLAIN " + delete, CleanUpIndexTest::line, params.toArray()));
    }

    private static String line(ResultSet row) throws SQLException {
        StringBuilder line = new StringBuilder();
        for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
            line.append(row.getString(column)).append(' ');
        }
        return line.toString();
    }
}
