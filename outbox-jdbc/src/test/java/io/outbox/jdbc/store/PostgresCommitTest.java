package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DueEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What waits for the disk: not the claims of the outbox's own, whose loss frees events, but everything else. A trigger
 * that fires with the commit tells by which setting the transaction commits.
 */
class PostgresCommitTest {

    private static final Lease LEASE = new Lease("node", Duration.ofMinutes(5));

    private DataSource dataSource;
    private JdbcOutbox jdbc;

    @BeforeEach
    void recordCommits() throws SQLException {
        PGSimpleDataSource simple = new PGSimpleDataSource();
        simple.setUrl(TestDatabase.POSTGRESQL.newUrl());
        dataSource = simple;
        jdbc = JdbcOutbox.of(dataSource).createSchema();
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            jdbc.store().insertBatch(conn, DeliveryFixture.events(3));
            statement.execute("CREATE TABLE commits (waits TEXT)");
            statement.execute("CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " INSERT INTO commits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$");
            statement.execute("CREATE CONSTRAINT TRIGGER commit_notes AFTER UPDATE ON outbox_event"
                    + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit()");
        }
    }

    private List<String> commits() throws SQLException {
        List<String> commits = new ArrayList<>();
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery("SELECT waits FROM commits")) {
            while (rows.next()) {
                commits.add(rows.getString(1));
            }
        }
        return commits;
    }

    private static String setting(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
            row.next();
            return row.getString(1);
        }
    }

    private ClaimRequest claim(Connection conn) {
        return ClaimRequest.first(LEASE, jdbc.store().currentTime(conn), 10);
    }

    @Test
    void aClaimDoesNotWaitAndLeavesTheConnectionAsItWas() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            assertThat(delivery(jdbc.store(), conn).claim(claim(conn)).events()).hasSize(3);

            assertThat(setting(conn)).isEqualTo("on");
        }

        assertThat(commits()).containsExactly("off", "off", "off");
        assertThat(OutboxRows.where(dataSource, "locked_by = 'node'")).hasSize(3);
    }

    @Test
    void aClaimInATransactionOfTheCallersChangesNothingAboutItsCommit() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            conn.setAutoCommit(false);
            Instant now = Instant.now();
            assertThat(jdbc.store().claimPending(conn, "node", now, now.minus(LEASE.duration()), Duration.ZERO, 10))
                    .hasSize(3);
            assertThat(setting(conn)).isEqualTo("on");
            conn.commit();
        }

        assertThat(commits()).containsExactly("on", "on", "on");
    }

    @Test
    void outcomesWait() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            List<Outcome> done = delivery(jdbc.store(), conn).claim(claim(conn)).events().stream()
                    .map(DueEvent::eventId)
                    .map(eventId -> (Outcome) new Outcome.Done(eventId, Instant.now()))
                    .toList();
            try (Statement statement = conn.createStatement()) {
                statement.execute("TRUNCATE commits");
            }

            assertThat(delivery(jdbc.store(), conn).apply("node", done)).hasSize(3);
        }

        assertThat(commits()).containsExactly("on", "on", "on");
    }
}
