package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static io.outbox.jdbc.support.OnConnection.housekeeping;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.Page;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pages of DEAD events, and their replay. */
class DeadPagesTest {

    private static final Instant START = Instant.parse("2025-01-01T00:00:00Z");
    private static final int EVENTS = 1_100;
    private static final int PAGE = 400;

    /** Stores dead events, three of each time, every tenth of them with an end time as other programs may write it. */
    private static List<String> storeDead(HikariDataSource pool, AbstractJdbcOutboxStore store) throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            events.add(EventEnvelope.builder("Type" + i % 2)
                    .eventId("id-" + (10_000 + i))
                    .occurredAt(START.plusMillis(i / 3))
                    .payloadJson("{}")
                    .build());
        }
        try (Connection conn = pool.getConnection()) {
            store.insertBatch(conn, events);
        }
        OutboxRows.execute(
                pool,
                "UPDATE outbox_event SET status = 3, attempts = 4, last_error = 'hopeless'",
                "UPDATE outbox_event SET done_at = available_at WHERE event_id LIKE '%7'");
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    @ParameterizedTest
    @EnumSource
    void pagesFollowEachOtherInOrderOfCreation(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<String> ids = storeDead(pool, store);

            assertThat(read(store, conn, new DeadQuery(null, null, PAGE, null))).containsExactlyElementsOf(ids);
            assertThat(read(store, conn, new DeadQuery("Type1", "__GLOBAL__", 7, null)))
                    .hasSize(EVENTS / 2)
                    .isSorted();
            assertThat(read(store, conn, new DeadQuery("None", null, PAGE, null)))
                    .isEmpty();
            assertThat(store.queryDead(conn, null, null, 5))
                    .extracting(OutboxEvent::eventId)
                    .containsExactlyElementsOf(ids.subList(0, 5));
        }
    }

    private static List<String> read(AbstractJdbcOutboxStore store, Connection conn, DeadQuery first) {
        List<String> read = new ArrayList<>();
        DeadQuery query = first;
        while (true) {
            Page<OutboxEvent> page = housekeeping(store, conn).queryDead(query);
            assertThat(page.items()).hasSizeLessThanOrEqualTo(query.limit());
            page.items().forEach(event -> read.add(event.eventId()));
            if (page.next() == null) {
                return read;
            }
            query = query.after(page.next());
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyAreReplayedByFewStatements(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<String> ids = new ArrayList<>(storeDead(pool, store));
            OutboxRows.execute(pool, "UPDATE outbox_event SET status = 1 WHERE event_id = '" + ids.get(0) + "'");
            ids.add("unknown");
            AtomicInteger statements = new AtomicInteger();
            try (Connection conn = Intercepted.connection(pool.getConnection(), call -> {
                statements.addAndGet(call.executes("UPDATE") ? 1 : 0);
                return call.proceed();
            })) {
                Instant before = store.currentTime(conn);

                assertThat(housekeeping(store, conn).replayDead(ids)).isEqualTo(EVENTS - 1);

                assertThat(statements).hasValue(3);
                assertThat(OutboxRows.where(
                                pool, "status = 0 AND attempts = 0 AND last_error IS NULL AND done_at IS NULL"))
                        .hasSize(EVENTS - 1);
                assertThat(delivery(store, conn)
                                .oldestDueAt(before.plusSeconds(60))
                                .orElseThrow())
                        .isAfterOrEqualTo(before);
            }
        }
    }
}
