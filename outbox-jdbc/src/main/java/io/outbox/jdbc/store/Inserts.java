package io.outbox.jdbc.store;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.NewEvent;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Inserts events: those that are locked together, and the others together, since nobody sees in which order a
 * transaction inserts. The statements are not tuned: an INSERT leaves a planner nothing to choose.
 */
final class Inserts {

    private static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload,"
            + " headers, status, attempts, available_at, created_at";

    private static final Form UNLOCKED =
            new Form("INSERT INTO {table} (" + COLUMNS + ") VALUES ", "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)");

    private static final Form LOCKED = new Form(
            "INSERT INTO {table} (" + COLUMNS + ", locked_by, locked_at) VALUES ",
            "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, {now_of_insert})");

    private static final Form IN_ORDER = new Form(
            "INSERT INTO {table} (" + COLUMNS + ", order_key) VALUES ", "(?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)");

    /**
     * How many characters one statement takes before the next one begins: far less than servers accept as one packet.
     */
    private static final int LARGE = 1 << 20;

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    Inserts(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** A statement by its beginning and one of its rows. */
    private record Form(String insert, String row, String first) {

        Form(String insert, String row) {
            this(insert, row, insert + row);
        }

        String sql(AbstractJdbcOutboxStore store, int rows) {
            String one = store.sql(first).toString();
            return rows == 1 ? one : one + (", " + store.sql(row)).repeat(rows - 1);
        }
    }

    /** Inserts the events; returns the ids of those that are locked. */
    Set<String> insert(List<NewEvent> events) {
        List<NewEvent> owned =
                events.stream().filter(event -> event.ownerId() != null).toList();
        List<NewEvent> ordered = events.stream().filter(NewEvent::isKeyed).toList();
        List<NewEvent> others = owned.size() + ordered.size() == events.size()
                ? List.of()
                : events.stream()
                        .filter(event -> event.ownerId() == null && !event.isKeyed())
                        .toList();
        insert(owned, LOCKED);
        insert(ordered, IN_ORDER);
        insert(others, UNLOCKED);
        Set<String> locked = new LinkedHashSet<>();
        owned.forEach(event -> locked.add(event.event().eventId()));
        return locked;
    }

    private void insert(List<NewEvent> events, Form form) {
        if (events.isEmpty()) {
            return;
        }
        if (store.rowsPerInsert() == 1) {
            List<Object[]> rows = events.stream().map(this::row).toList();
            namingDuplicates(store, events, () -> {
                store.inserts().batch(conn, form.sql(store, 1), rows);
                return null;
            });
            return;
        }
        for (List<NewEvent> chunk : chunks(events, store.rowsPerInsert())) {
            Object[] params =
                    chunk.stream().map(this::row).flatMap(Arrays::stream).toArray();
            namingDuplicates(store, chunk, () -> store.inserts().update(conn, form.sql(store, chunk.size()), params));
        }
    }

    private Object[] row(NewEvent event) {
        List<Object> row = values(event.event());
        if (event.ownerId() != null) {
            row.add(event.ownerId());
            row.addAll(store.lockTimeOfInsert().params());
        } else if (event.isKeyed()) {
            row.add(event.orderKey());
        }
        return row.toArray();
    }

    /** Returns the values of the columns that are not the same for all new events, up to the time of creation. */
    static List<Object> values(EventEnvelope event) {
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

    /** Splits events, in order, so that no part has too many rows or, with more than one, too much text. */
    static List<List<NewEvent>> chunks(List<NewEvent> events, int mostRows) {
        List<List<NewEvent>> chunks = new ArrayList<>();
        int from = 0;
        long size = 0;
        for (int i = 0; i < events.size(); i++) {
            long next = sizeOf(events.get(i).event());
            if (i > from && (i - from == mostRows || size + next > LARGE)) {
                chunks.add(events.subList(from, i));
                from = i;
                size = 0;
            }
            size += next;
        }
        if (from < events.size()) {
            chunks.add(events.subList(from, events.size()));
        }
        return chunks;
    }

    private static long sizeOf(EventEnvelope event) {
        String headers = event.storedHeaders();
        return event.storedPayload().length() + (headers == null ? 0 : headers.length());
    }

    /** Runs an INSERT of these events, and names them if it fails because one of them is stored already. */
    static <T> T namingDuplicates(AbstractJdbcOutboxStore store, List<NewEvent> events, Supplier<T> insert) {
        try {
            return insert.get();
        } catch (OutboxStoreException e) {
            throw store.isDuplicate(e)
                    ? new DuplicateEventException(
                            events.stream()
                                    .map(event -> event.event().eventId())
                                    .toList(),
                            e.getCause())
                    : e;
        }
    }
}
