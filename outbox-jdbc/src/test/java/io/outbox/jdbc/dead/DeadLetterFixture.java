package io.outbox.jdbc.dead;

import static io.outbox.jdbc.support.OnConnection.delivery;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.EventStatus;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A database with an outbox table and dead letters, emptied when it is opened. */
final class DeadLetterFixture implements AutoCloseable {

    static final String TYPE = "OrderPlaced";
    static final Instant OCCURRED = Instant.parse("2025-06-01T12:00:00.123456Z");
    static final Instant RETRY_AT = Instant.parse("2025-06-01T13:00:00.654321Z");

    private final HikariDataSource pool;
    private final DeadLetterStore store;

    DeadLetterFixture(String url) {
        this.pool = TestDatabase.pool(url, 20);
        this.store = DeadLetterStore.of(JdbcOutbox.of(pool)
                .withDeadLetters()
                .createSchema()
                .validateSchema()
                .store());
        OutboxRows.execute(
                pool,
                "DELETE FROM outbox_event",
                "DELETE FROM outbox_dlq_event",
                "DELETE FROM outbox_dlq_event_attempt");
    }

    DeadLetterStore store() {
        return store;
    }

    DataSource pool() {
        return pool;
    }

    DeadLetterBackend letters() {
        return letters(pool);
    }

    DeadLetterBackend letters(DataSource dataSource) {
        return store.housekeeping(new DataSourceConnectionProvider(dataSource), (conn, before, limit) -> 0)
                .deadEvents()
                .flatMap(DeadEventBackend::queue)
                .orElseThrow();
    }

    interface Work<T> {
        T run(Connection conn) throws SQLException;
    }

    <T> T with(Work<T> work) {
        try (Connection conn = pool.getConnection()) {
            return work.run(conn);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stores new events, held by the owner, or by nobody if that is {@code null}. */
    List<String> write(int count, String ownerId) {
        List<NewEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(new NewEvent(event("{\"n\":" + i + "}", OCCURRED.plusSeconds(i)), ownerId));
        }
        with(conn -> store.insert(conn, events));
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    static EventEnvelope event(String payload, Instant occurredAt) {
        return EventEnvelope.builder(TYPE)
                .aggregateType("Order")
                .aggregateId("order-1")
                .tenantId("acme")
                .headers(Map.of("trace", "abc"))
                .occurredAt(occurredAt)
                .payloadJson(payload)
                .build();
    }

    /** Applies outcomes as a node does: what somebody else has locked is tried again. */
    Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        while (true) {
            try {
                return with(conn -> delivery(store, conn).apply(ownerId, outcomes));
            } catch (EventsLockedException e) {
                Thread.onSpinWait();
            }
        }
    }

    /** Lets events die, and become letters. */
    List<String> writeDead(int count) {
        List<String> ids = write(count, null);
        kill(ids, "boom");
        return ids;
    }

    void kill(List<String> ids, String error) {
        apply(
                null,
                ids.stream().map(id -> (Outcome) new Outcome.Dead(id, error)).toList());
    }

    /** Lets events die in the outbox table, as a node without dead letters does. */
    void killInPlace(List<String> ids) {
        with(conn -> {
            ids.forEach(id -> store.outboxStore().markDead(conn, id, "boom"));
            return null;
        });
    }

    static Outcome failed(String id, int attempts, int maxAttempts, String error) {
        return new Outcome.Failed(id, RETRY_AT.plusSeconds(attempts), attempts, maxAttempts, error);
    }

    List<String> outboxIds() {
        return OutboxRows.texts(pool, "SELECT event_id FROM outbox_event ORDER BY event_id");
    }

    List<String> letterIds() {
        return OutboxRows.texts(pool, "SELECT event_id FROM outbox_dlq_event ORDER BY event_id");
    }

    long number(String sql) {
        return OutboxRows.number(pool, sql);
    }

    @Override
    public void close() {
        pool.close();
    }
}
