package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.GivenUp;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.Outcome;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions of a store's own that fail half-way, and whose rollback fails too. */
class OwnTransactionsTest {

    @ParameterizedTest
    @EnumSource
    void whatCannotBeRolledBackIsNotCommittedByRestoringAutoCommit(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<EventEnvelope> events = DeliveryFixture.events(2);
            try (Connection conn = pool.getConnection()) {
                store.insertBatch(conn, events);
            }
            List<String> calls = new ArrayList<>();
            Connection broken = Intercepted.connection(pool.getConnection(), call -> {
                calls.add(call.name());
                if (call.name().equals("rollback") || call.executes("SELECT event_id, status")) {
                    throw GivenUp.SERIALIZATION_FAILURE.failure();
                }
                return call.proceed();
            });

            assertThatThrownBy(() -> delivery(store, broken)
                            .apply(
                                    null,
                                    List.of(
                                            new Outcome.Dead(events.get(0).eventId(), "hopeless"),
                                            new Outcome.Failed(
                                                    events.get(1).eventId(), Instant.now(), 0, 10, "broken"))))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasCauseInstanceOf(SQLException.class);

            assertThat(calls.subList(calls.indexOf("setAutoCommit false"), calls.size()))
                    .contains("rollback", "abort")
                    .doesNotContain("setAutoCommit true", "commit");
            assertThat(calls.stream().filter("rollback"::equals))
                    .as("not repeated")
                    .hasSize(1);
            assertThat(OutboxRows.where(pool, "status = 0")).hasSize(2);
        }
    }
}
