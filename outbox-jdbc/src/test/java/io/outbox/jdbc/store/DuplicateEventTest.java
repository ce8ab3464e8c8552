package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events whose id is stored already. */
class DuplicateEventTest {

    @ParameterizedTest
    @EnumSource
    void theyAreNamedAsSuchAloneAndInABatch(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<EventEnvelope> events = DeliveryFixture.events(3);
            EventEnvelope stored = events.get(1);
            store.insertNew(conn, stored);

            assertThatThrownBy(() -> store.insertNew(conn, stored))
                    .isInstanceOfSatisfying(
                            DuplicateEventException.class,
                            e -> assertThat(e.eventIds()).containsExactly(stored.eventId()))
                    .hasMessageContaining(stored.eventId())
                    .hasCauseInstanceOf(SQLException.class);
            assertThatThrownBy(() -> store.insertBatch(conn, events))
                    .isInstanceOfSatisfying(
                            DuplicateEventException.class,
                            e -> assertThat(e.eventIds()).contains(stored.eventId()));
            assertThatThrownBy(() -> store.insert(
                            conn,
                            events.stream()
                                    .map(event -> new NewEvent(event, "node"))
                                    .toList()))
                    .isInstanceOf(DuplicateEventException.class);
            assertThatThrownBy(() -> store.insertBatch(
                            conn, Stream.of(events.get(0), events.get(0)).toList()))
                    .as("twice in one batch")
                    .isInstanceOf(DuplicateEventException.class);
            assertThat(OutboxRows.all(pool)).as("all or none").containsOnlyKeys(stored.eventId());
        }
    }

    @ParameterizedTest
    @EnumSource
    void aUniqueIndexOfTheApplicationsOwnIsNoDuplicate(TestDatabase database) throws SQLException {
        assertOwnIndexIsNamed(database.newUrl());
    }

    /** The driver then names the index alone. */
    @Test
    void aUniqueIndexOfTheApplicationsOwnIsNoDuplicateWithoutDetailsEither() throws SQLException {
        assertOwnIndexIsNamed(TestDatabase.POSTGRESQL.newUrl() + "&logServerErrorDetail=false");
    }

    private static void assertOwnIndexIsNamed(String url) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(url, 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            OutboxRows.execute(pool, "CREATE UNIQUE INDEX one_event_of_each_aggregate ON outbox_event(aggregate_id)");
            List<EventEnvelope> events = Stream.of("1", "2", "3")
                    .map(id -> EventEnvelope.builder("A")
                            .eventId(id)
                            .aggregateId("event_id")
                            .payloadJson("{}")
                            .build())
                    .toList();
            store.insertNew(conn, events.get(0));

            for (List<EventEnvelope> refused : List.of(events.subList(1, 2), events.subList(1, 3))) {
                assertThatThrownBy(() -> store.insertBatch(conn, refused))
                        .isNotInstanceOf(DuplicateEventException.class)
                        .isInstanceOf(OutboxStoreException.class)
                        .satisfies(e -> assertThat(e.getMessage()).containsIgnoringCase("one_event_of_each_aggregate"));
            }
            assertThatThrownBy(() -> store.insertNew(conn, events.get(0))).isInstanceOf(DuplicateEventException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherViolationsAreNot(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            OutboxRows.execute(pool, "ALTER TABLE outbox_event ADD CONSTRAINT no_events CHECK (attempts > 0)");

            assertThatThrownBy(() -> store.insertBatch(conn, DeliveryFixture.events(2)))
                    .isInstanceOfSatisfying(
                            OutboxStoreException.class,
                            e -> assertThat(e.isRefusal()).isTrue());
        }
    }
}
