package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.OutboxBackend;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a look at the table costs while no event is due. */
class LookTest {

    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
    private static final String TABLE = "outbox_event";

    private final StatementRecorder recorder = new StatementRecorder();

    @ParameterizedTest
    @EnumSource(TestDatabase.class)
    void isOneStatement(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(recorder.before(pool)).createSchema();
            OutboxBackend backend = jdbc.backend();
            recorder.take(TABLE);

            assertThat(backend.nextDueAt(NOW)).isEmpty();
            assertThat(backend.oldestDueAt(NOW)).isEmpty();
            assertThat(recorder.take(TABLE)).hasSize(2);

            Instant later = NOW.plus(Duration.ofHours(1));
            try (Connection conn = pool.getConnection()) {
                jdbc.store().insertBatch(conn, List.of(event("new", NOW.minusSeconds(1)), event("later", later)));
            }
            assertThat(backend.nextDueAt(NOW)).contains(later);
            assertThat(backend.oldestDueAt(NOW)).contains(NOW.minusSeconds(1));
        }
    }

    private static EventEnvelope event(String id, Instant availableAt) {
        return EventEnvelope.builder("Tested")
                .eventId(id)
                .occurredAt(NOW.minusSeconds(60))
                .availableAt(availableAt)
                .payloadJson("{}")
                .build();
    }
}
