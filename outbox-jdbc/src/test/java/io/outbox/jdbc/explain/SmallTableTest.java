package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What MySQL and MariaDB do in a table so small that reading all of it looks cheap: that would lock all of it. */
class SmallTableTest {

    private static final String TABLE = "outbox_event";
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));

    private final StatementRecorder recorder = new StatementRecorder();

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void outcomesAndLocksGoByTheKey(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(recorder.before(pool), TABLE).createSchema();
            try (var tx = jdbc.begin()) {
                jdbc.backend()
                        .persist(DeliveryFixture.events(12).stream()
                                .map(NewEvent::unowned)
                                .toList());
                tx.commit();
            }
            OutboxRows.execute(pool, "ANALYZE TABLE " + TABLE);
            OutboxBackend backend = jdbc.backend();
            List<String> ids =
                    backend
                            .claim(ClaimRequest.first(
                                    LEASE, backend.currentTime().plusSeconds(1), 12))
                            .events()
                            .stream()
                            .map(due -> due.eventId())
                            .toList();
            recorder.take(TABLE);

            backend.renew(LEASE.ownerId(), ids);
            backend.apply(LEASE.ownerId(), done(ids.subList(0, 6), true));
            backend.apply(LEASE.ownerId(), done(ids.subList(6, 12), false));
            backend.release(LEASE.ownerId(), ids);

            List<Plan> plans = plans(pool);
            assertThat(plans).as("each change locks its rows first").hasSize(8);
            assertThat(plans).allSatisfy(plan -> {
                assertThat(plan.fullScan()).as(plan.text()).isFalse();
                assertThat(plan.indexes()).as(plan.text()).containsExactly("PRIMARY");
            });
        }
    }

    private static List<Outcome> done(List<String> eventIds, boolean keep) {
        Instant now = Instant.now();
        return eventIds.stream()
                .map(id -> (Outcome) new Outcome.Done(id, now, keep))
                .toList();
    }

    private List<Plan> plans(HikariDataSource pool) throws SQLException {
        List<Plan> plans = new ArrayList<>();
        try (Connection conn = pool.getConnection()) {
            conn.setAutoCommit(false);
            for (RecordedStatement statement : recorder.take(TABLE)) {
                plans.addAll(new MySqlIndexUseTest().explain(conn, statement));
                conn.rollback();
            }
        }
        return plans;
    }
}
