package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.StoredEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A group of rules about a store: an empty table and a connection for each of them, and the words to speak of rows. */
abstract class StoreRules {

    static final String TYPE = "StoreEvent";

    private final OutboxStoreContract contract;

    Instant now;
    OutboxStore store;
    Connection conn;

    StoreRules(OutboxStoreContract contract) {
        this.contract = contract;
    }

    @BeforeEach
    final void openStore() throws Exception {
        now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        store = contract.createStore();
        conn = openConnection();
    }

    @AfterEach
    final void closeStore() throws Exception {
        try {
            closeConnection();
        } finally {
            contract.closeStore();
        }
    }

    private void closeConnection() throws SQLException {
        if (conn != null) {
            assertThat(conn.isClosed())
                    .as("the store must not close the connection")
                    .isFalse();
            assertThat(conn.getAutoCommit())
                    .as("the store must restore auto-commit mode")
                    .isTrue();
            conn.close();
        }
    }

    final Connection openConnection() throws SQLException {
        return contract.openConnection();
    }

    /** Returns an event that occurred about an hour ago; higher numbers are younger. */
    final EventEnvelope event(int number) {
        return EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(3600).plusMillis(number))
                .payloadJson("{\"number\":" + number + "}")
                .build();
    }

    final List<EventEnvelope> events(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(i));
        }
        return events;
    }

    final String insert(EventEnvelope event) {
        store.insertNew(conn, event);
        return event.eventId();
    }

    final String insertLocked() {
        String id = insert(event(0));
        assertThat(ids(claim("holder", now, now.minusSeconds(60), 1))).containsExactly(id);
        return id;
    }

    final List<OutboxEvent> poll(int limit) {
        return store.pollPending(conn, now, Duration.ZERO, limit);
    }

    final List<OutboxEvent> claim(String ownerId, Instant at, Instant lockExpiry, int limit) {
        return store.claimPending(conn, ownerId, at, lockExpiry, Duration.ZERO, limit);
    }

    final StoredEvent stored(String eventId) {
        return JdbcStoredEvents.find(conn, contract.tableName(), eventId)
                .orElseThrow(() -> new AssertionError("event " + eventId + " is not stored"));
    }

    static void assertUnlocked(StoredEvent event) {
        assertThat(event.lockedBy()).isNull();
        assertThat(event.lockedAt()).isNull();
    }

    static List<String> ids(List<OutboxEvent> rows) {
        return EngineRules.rowIds(rows);
    }
}
