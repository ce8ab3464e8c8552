package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.NewEvent;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node that is alone by its settings, on a table in which others lock events. */
class ForeignLocksTest {

    private static final String TOLD = "was locked by other-node";

    private static void storeLocked(DeliveryFixture fixture, List<EventEnvelope> events) throws SQLException {
        try (Connection conn = fixture.pool().getConnection()) {
            fixture.jdbc()
                    .store()
                    .insert(
                            conn,
                            events.stream()
                                    .map(event -> new NewEvent(event, "other-node"))
                                    .toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theyAreReportedOnceAndTheEventsAreDelivered(TestDatabase database) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            List<EventEnvelope> events = DeliveryFixture.events(3);
            storeLocked(fixture, events);

            fixture.open(Mode.SINGLE_NODE);
            fixture.assertDelivered(DeliveryFixture.ids(events));

            assertThat(log.text().split(TOLD, -1)).as("told once").hasSize(2);
            assertThat(log.text()).contains("Use multi-node mode for all instances");
        }
    }

    /** Its events leave no row behind that could tell who else has delivered them. */
    @ParameterizedTest
    @EnumSource
    void theyAreReportedByANodeWithoutRetentionToo(TestDatabase database) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            List<EventEnvelope> events = DeliveryFixture.events(3);
            storeLocked(fixture, events);

            fixture.open(Outbox.singleNode().purgeRetention(Duration.ZERO));
            await().until(() -> fixture.number("1 = 1") == 0);

            assertThat(fixture.delivered()).containsExactlyInAnyOrderElementsOf(events);
            assertThat(log.text().split(TOLD, -1)).as("told once").hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void theyAreReportedByANodeThatKeepsTheOrderOfKeysToo(TestDatabase database) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            OutboxSchema.of(fixture.pool()).createKeyedIfMissing();
            List<EventEnvelope> events = List.of(keyed("a"), keyed("a"), keyed("a"), keyed("b"));
            try (Outbox writer = Outbox.writerOnly()
                    .backend(fixture.jdbc().backend())
                    .ordering(Ordering.byKey())
                    .build()) {
                fixture.inTransaction(writer.writer(), all -> all.writeAll(events));
            }
            OutboxRows.execute(
                    fixture.pool(),
                    "UPDATE outbox_event SET locked_by = 'other-node', locked_at = "
                            + (database == TestDatabase.POSTGRESQL
                                    ? "now() AT TIME ZONE 'UTC'"
                                    : database == TestDatabase.H2 ? "CURRENT_TIMESTAMP" : "UTC_TIMESTAMP"));

            fixture.open(Outbox.singleNode().ordering(Ordering.byKey()));
            fixture.assertDelivered(DeliveryFixture.ids(events));

            assertThat(log.text().split(TOLD, -1)).as("told once").hasSize(2);
        }
    }

    private static EventEnvelope keyed(String key) {
        return EventEnvelope.builder(DeliveryFixture.TYPE)
                .aggregateId(key)
                .payloadJson("{}")
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void thoseOfANodeThatIsLongGoneAreNot(TestDatabase database) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            List<EventEnvelope> events = DeliveryFixture.events(3);
            storeLocked(fixture, events);
            OutboxRows.execute(fixture.pool(), "UPDATE outbox_event SET locked_at = TIMESTAMP '2025-01-01 00:00:00'");

            fixture.open(Mode.SINGLE_NODE);
            fixture.assertDelivered(DeliveryFixture.ids(events));

            assertThat(log.text()).doesNotContain(TOLD);
        }
    }

    @ParameterizedTest
    @EnumSource
    void thoseOfOtherNodesAreNotAmongSeveral(TestDatabase database) throws SQLException {
        try (DeliveryFixture fixture = DeliveryFixture.on(database);
                CapturedLog log = CapturedLog.open()) {
            List<EventEnvelope> events = DeliveryFixture.events(2);
            storeLocked(fixture, events.subList(0, 1));
            fixture.store(events.subList(1, 2));

            fixture.open(Mode.MULTI_NODE);
            fixture.assertDelivered(List.of(events.get(1).eventId()));

            assertThat(log.text()).doesNotContain(TOLD);
        }
    }
}
