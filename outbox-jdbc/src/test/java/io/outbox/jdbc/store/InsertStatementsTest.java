package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.NewEvent;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How many statements a batch of events takes, whatever the settings of the driver. */
class InsertStatementsTest {

    private final AtomicInteger statements = new AtomicInteger();

    private Connection counted(Connection conn) {
        return Intercepted.connection(conn, call -> {
            if (call.executes("INSERT INTO outbox_event")) {
                statements.incrementAndGet();
            }
            return call.proceed();
        });
    }

    @ParameterizedTest
    @EnumSource
    void eventsWithAndWithoutAnOwnerInTurnTakeTwoAtMost(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<NewEvent> events = new ArrayList<>();
            for (EventEnvelope event : DeliveryFixture.events(800)) {
                events.add(new NewEvent(event, events.size() % 2 == 0 ? "node" : null));
            }

            Set<String> locked = store.insert(counted(conn), events).locked();

            assertThat(statements).hasValueLessThanOrEqualTo(2);
            assertThat(locked).hasSize(400);
            assertThat(OutboxRows.where(pool, "locked_by = 'node' AND locked_at IS NOT NULL"))
                    .containsOnlyKeys(locked);
            assertThat(OutboxRows.where(pool, "locked_by IS NULL AND locked_at IS NULL"))
                    .hasSize(400);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void thousandsOfEventsTakeFewAndLargeOnesMore(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();

            store.insertBatch(counted(conn), DeliveryFixture.events(5001));

            assertThat(statements).hasValue(database == TestDatabase.POSTGRESQL ? 2 : 11);
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event"))
                    .isEqualTo(5001);

            statements.set(0);
            String text = "\"" + "ü".repeat(400_000) + "\"";
            List<EventEnvelope> large = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                large.add(EventEnvelope.ofJson("Large", text));
            }
            store.insertBatch(counted(conn), large);

            assertThat(statements)
                    .as("each within what a server takes as one packet")
                    .hasValue(5);
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE event_type = 'Large'"))
                    .isEqualTo(9);
        }
    }
}
