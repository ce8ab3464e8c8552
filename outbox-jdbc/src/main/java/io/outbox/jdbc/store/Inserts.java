package io.outbox.jdbc.store;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.NewEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Inserts events. The statements are not tuned: an INSERT leaves a planner nothing to choose. */
final class Inserts {

    private static final String INSERT = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)""";

    private static final String INSERT_LOCKED = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              status, attempts, available_at, created_at, locked_by, locked_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, {now_of_insert})""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    Inserts(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** Inserts in order, as few batches as that takes; returns the ids of the events that are locked. */
    Set<String> insert(List<NewEvent> events) {
        Set<String> locked = new LinkedHashSet<>();
        int from = 0;
        for (int to = 1; to <= events.size(); to++) {
            if (to == events.size() || isOwned(events.get(to)) != isOwned(events.get(from))) {
                insertAlike(events.subList(from, to), locked);
                from = to;
            }
        }
        return locked;
    }

    private static boolean isOwned(NewEvent event) {
        return event.ownerId() != null;
    }

    private void insertAlike(List<NewEvent> events, Set<String> locked) {
        boolean owned = isOwned(events.get(0));
        Sql sql = store.sql(owned ? INSERT_LOCKED : INSERT);
        List<Object[]> rows = new ArrayList<>();
        for (NewEvent event : events) {
            List<Object> row = row(event.event());
            if (owned) {
                row.add(event.ownerId());
                row.addAll(store.lockTimeOfInsert().params());
                locked.add(event.event().eventId());
            }
            rows.add(row.toArray());
        }
        try {
            JdbcTemplate.batch(conn, sql.toString(), rows);
        } catch (OutboxStoreException e) {
            throw e.getCause() instanceof SQLException cause && store.isDuplicate(cause)
                    ? new DuplicateEventException(
                            events.stream()
                                    .map(event -> event.event().eventId())
                                    .toList(),
                            cause)
                    : e;
        }
    }

    private static List<Object> row(EventEnvelope event) {
        Instant availableAt = event.isDelayed() ? event.availableAt() : event.occurredAt();
        List<Object> row = new ArrayList<>();
        row.add(event.eventId());
        row.add(event.eventType());
        row.add(event.aggregateType());
        row.add(event.aggregateId());
        row.add(event.tenantId());
        row.add(event.storedPayload());
        row.add(event.storedHeaders());
        row.add(availableAt);
        row.add(event.occurredAt());
        return row;
    }
}
