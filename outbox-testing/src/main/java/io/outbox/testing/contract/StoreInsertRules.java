package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.testing.StoredEvent;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of the inserts of a store. */
abstract class StoreInsertRules extends StoreRules {

    StoreInsertRules(OutboxStoreContract contract) {
        super(contract);
    }

    @Test
    void insertNewFillsEveryColumn() {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(9))
                .aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("t-1")
                .header("trace", "abc")
                .payloadJson("{\"name\":\"Zoë\"}")
                .build();

        store.insertNew(conn, event);

        StoredEvent stored = stored(event.eventId());
        assertThat(stored.envelope()).isEqualTo(event);
        assertThat(stored.status()).isEqualTo(EventStatus.NEW);
        assertThat(stored.attempts()).isZero();
        assertThat(stored.createdAt()).isEqualTo(now.minusSeconds(9));
        assertThat(stored.availableAt()).isEqualTo(now.minusSeconds(9));
        assertThat(stored.doneAt()).isNull();
        assertThat(stored.lastError()).isNull();
        assertThat(stored.lockedBy()).isNull();
        assertThat(stored.lockedAt()).isNull();
    }

    @Test
    void insertNewLeavesOptionalColumnsNull() {
        EventEnvelope event = EventEnvelope.ofJson(TYPE, "{}");

        store.insertNew(conn, event);

        StoredEvent stored = stored(event.eventId());
        assertThat(stored.event().aggregateId()).isNull();
        assertThat(stored.event().tenantId()).isNull();
        assertThat(stored.event().headersJson()).isNull();
        assertThat(stored.envelope().aggregateType()).isEqualTo(event.aggregateType());
    }

    @Test
    void insertNewOfADelayedEventSetsItsDueTime() {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .occurredAt(now)
                .availableAt(now.plusSeconds(60))
                .payloadJson("{}")
                .build();

        store.insertNew(conn, event);

        assertThat(stored(event.eventId()).createdAt()).isEqualTo(now);
        assertThat(stored(event.eventId()).availableAt()).isEqualTo(now.plusSeconds(60));
    }

    @Test
    void insertsBelongToTheCallersTransaction() throws SQLException {
        EventEnvelope single = event(0);
        List<EventEnvelope> batch = List.of(event(1), event(2));

        conn.setAutoCommit(false);
        store.insertNew(conn, single);
        store.insertBatch(conn, batch);
        conn.rollback();
        conn.setAutoCommit(true);

        assertThat(poll(10)).isEmpty();
    }

    @Test
    void insertBatchStoresAllInOrder() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            events.add(EventEnvelope.builder(TYPE)
                    .occurredAt(now.minusSeconds(60))
                    .header("number", String.valueOf(i))
                    .payloadJson("{\"number\":" + i + "}")
                    .build());
        }

        store.insertBatch(conn, events);
        store.insertBatch(conn, List.of());

        List<OutboxEvent> rows = poll(1000);
        assertThat(rows.stream().map(EventEnvelope::restore)).containsExactlyElementsOf(events);
    }
}
