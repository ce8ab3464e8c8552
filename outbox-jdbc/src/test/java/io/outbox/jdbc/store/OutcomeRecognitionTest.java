package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.EventStatus;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Outcomes that are written again because the answer to the first write got lost. */
class OutcomeRecognitionTest {

    private static final String OWNER = "node";
    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00.123456789Z");

    @ParameterizedTest
    @EnumSource
    void batchesWrittenAgainOneByOneStandAsTheyWere(TestDatabase database) throws SQLException {
        withHeldEvents(database, 600, (store, conn, ids) -> {
            List<Outcome> outcomes = new ArrayList<>();
            for (int i = 0; i < ids.size(); i++) {
                String id = ids.get(i);
                outcomes.add(
                        switch (i % 6) {
                            case 0, 1 -> new Outcome.Done(id, NOW);
                            case 2 -> new Outcome.Done(id, NOW.plusMillis(i));
                            case 3 -> new Outcome.Failed(id, NOW.plusSeconds(1), 0, i % 12 == 3 ? 1 : 5, "broken");
                            case 4 -> new Outcome.Deferred(id, NOW.plusSeconds(2));
                            default -> new Outcome.Dead(id, "hopeless");
                        });
            }

            Map<String, EventStatus> first = delivery(store, conn).apply(OWNER, outcomes);
            Map<String, EventStatus> again = delivery(store, conn).apply(OWNER, outcomes);
            Collections.reverse(outcomes);
            Map<String, EventStatus> singly = new HashMap<>();
            outcomes.forEach(outcome -> singly.putAll(delivery(store, conn).apply(OWNER, List.of(outcome))));

            assertThat(first).hasSize(ids.size());
            assertThat(again).isEqualTo(first);
            assertThat(singly).isEqualTo(first);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theDoneOfAnotherTimeIsNotTakenForOnesOwn(TestDatabase database) throws SQLException {
        withHeldEvents(database, 2, (store, conn, ids) -> {
            delivery(store, conn).apply(OWNER, List.of(new Outcome.Done(ids.get(0), NOW)));

            Map<String, EventStatus> other = delivery(store, conn)
                    .apply(
                            OWNER,
                            List.of(
                                    new Outcome.Done(ids.get(0), NOW.plusMillis(1)),
                                    new Outcome.Done(ids.get(1), NOW)));

            assertThat(other).isEqualTo(Map.of(ids.get(1), EventStatus.DONE));
        });
    }

    @ParameterizedTest
    @EnumSource
    void theStoreDecidesByItsOwnCountWhetherAttemptsAreLeft(TestDatabase database) throws SQLException {
        withHeldEvents(database, 2, (store, conn, ids) -> {
            Map<String, EventStatus> first = delivery(store, conn)
                    .apply(
                            null,
                            List.of(
                                    new Outcome.Failed(ids.get(0), NOW, 9, 3, "the caller has counted too many"),
                                    new Outcome.Failed(ids.get(1), NOW, 0, 3, "broken")));
            assertThat(first.values()).containsOnly(EventStatus.RETRY);

            delivery(store, conn)
                    .apply(null, List.of(new Outcome.Failed(ids.get(1), NOW.plusMillis(1), 0, 3, "broken")));
            Map<String, EventStatus> third = delivery(store, conn)
                    .apply(null, List.of(new Outcome.Failed(ids.get(1), NOW.plusMillis(2), 0, 3, "too few")));

            assertThat(third).isEqualTo(Map.of(ids.get(1), EventStatus.DEAD));
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFailureStandsByItsTimeAndItsErrorWhateverTheCallerHasCounted(TestDatabase database) throws SQLException {
        withHeldEvents(database, 1, (store, conn, ids) -> {
            BiFunction<Integer, String, Map<String, EventStatus>> fail = (attempts, error) -> delivery(store, conn)
                    .apply(OWNER, List.of(new Outcome.Failed(ids.get(0), NOW, attempts, 5, error)));
            assertThat(fail.apply(3, "broken")).isEqualTo(Map.of(ids.get(0), EventStatus.RETRY));

            assertThat(fail.apply(3, "broken")).isEqualTo(Map.of(ids.get(0), EventStatus.RETRY));
            assertThat(fail.apply(0, "of another")).isEmpty();
        });
    }

    private interface Work {
        void run(AbstractJdbcOutboxStore store, Connection conn, List<String> ids);
    }

    private static void withHeldEvents(TestDatabase database, int count, Work work) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<NewEvent> events = DeliveryFixture.events(count).stream()
                    .map(event -> new NewEvent(event, OWNER))
                    .toList();
            List<String> ids = List.copyOf(store.insert(conn, events).locked());
            assertThat(ids).hasSize(count);

            work.run(store, conn, ids);

            assertThat(OutboxRows.where(pool, "attempts > 3")).isEmpty();
            assertThat(conn.getAutoCommit()).isTrue();
        }
    }
}
