package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.Insertion;
import io.outbox.spi.NewEvent;
import java.sql.Connection;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Inserts events into PostgreSQL: one as a row of values, many as one array for each column.
 *
 * <p>For events on the hot path, the statement also tells whether a savepoint could undo it. A row that is inserted
 * after a savepoint was set has the id of a subtransaction and not that of the transaction. A partitioned table cannot
 * tell, and so counts as if there were one. For other events the right to INSERT is enough.
 */
final class PostgresInserts {

    private static final String INTO = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              available_at, created_at, locked_by, status, attempts, locked_at)
            """;

    private static final String ONE = INTO + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, NULL)";

    private static final String MANY = INTO + """
            SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload::{payload_type}, headers::{headers_type},
              available_at::timestamp, created_at::timestamp, locked_by, 0, 0,
              CASE WHEN locked_by IS NOT NULL THEN {now} END
            FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) AS event (event_id, event_type, aggregate_type, aggregate_id,
              tenant_id, payload, headers, available_at, created_at, locked_by)""";

    private static final String REVOCABLE = """
             RETURNING CASE WHEN tableoid = '{table}'::regclass
              THEN xmin::text <> (txid_current() % 4294967296)::text ELSE TRUE END AS revocable""";

    private static final String HOT_ONE = ONE + REVOCABLE;
    private static final String HOT_ONE_LOCKED =
            INTO + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, {now})" + REVOCABLE;
    private static final String HOT_MANY =
            "WITH written AS (" + MANY + REVOCABLE + ") SELECT revocable FROM written LIMIT 1";

    /** The number is given by the database, in the order of the rows. */
    private static final String IN_ORDER = """
            INSERT INTO {table} (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              available_at, created_at, order_key, status, attempts)
            """;

    private static final String ONE_IN_ORDER = IN_ORDER + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)";

    private static final String MANY_IN_ORDER = IN_ORDER + """
            SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload::{payload_type}, headers::{headers_type},
              available_at::timestamp, created_at::timestamp, order_key, 0, 0
            FROM unnest(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WITH ORDINALITY AS event (event_id, event_type, aggregate_type,
              aggregate_id, tenant_id, payload, headers, available_at, created_at, order_key, place) ORDER BY place""";

    private static final int COLUMNS = 10;
    private static final int MOST_ROWS = 5000;

    private final PostgresOutboxStore store;
    private final Connection conn;

    PostgresInserts(PostgresOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    Insertion insert(List<NewEvent> events) {
        List<NewEvent> ordered = events.stream().filter(NewEvent::isKeyed).toList();
        insertCold(ordered, ONE_IN_ORDER, MANY_IN_ORDER);
        List<NewEvent> others = ordered.isEmpty()
                ? events
                : events.stream().filter(event -> !event.isKeyed()).toList();
        return others.stream().anyMatch(NewEvent::hot) ? insertHot(others) : insertCold(others, ONE, MANY);
    }

    private Insertion insertCold(List<NewEvent> events, String one, String many) {
        for (List<NewEvent> chunk : Inserts.chunks(events, MOST_ROWS)) {
            String template = chunk.size() > 1 ? many : one;
            running(chunk, () -> store.inserts().update(conn, sql(template, chunk), params(chunk)));
        }
        return new Insertion(Set.of(), true);
    }

    /** Inserts events of which some are on the hot path. */
    private Insertion insertHot(List<NewEvent> events) {
        boolean revocable = false;
        for (List<NewEvent> chunk : Inserts.chunks(events, MOST_ROWS)) {
            String template = chunk.size() > 1 ? HOT_MANY : isLocked(chunk) ? HOT_ONE_LOCKED : HOT_ONE;
            revocable |= running(
                            chunk,
                            () -> store.inserts()
                                    .query(
                                            conn,
                                            sql(template, chunk),
                                            row -> row.getBoolean("revocable"),
                                            params(chunk)))
                    .get(0);
        }
        return new Insertion(locked(events), revocable);
    }

    private String sql(String template, List<NewEvent> chunk) {
        Sql sql = store.sql(template);
        return (chunk.size() > 1 ? store.documentTypes().in(sql, conn, store.tableName()) : sql).toString();
    }

    private <T> T running(List<NewEvent> chunk, Supplier<T> insert) {
        try {
            return Inserts.namingDuplicates(store, chunk, insert);
        } catch (OutboxStoreException e) {
            store.documentTypes().forget(conn);
            throw e;
        }
    }

    private static boolean isLocked(List<NewEvent> chunk) {
        return chunk.get(0).ownerId() != null;
    }

    private static Set<String> locked(List<NewEvent> events) {
        Set<String> locked = new LinkedHashSet<>();
        for (NewEvent event : events) {
            if (event.ownerId() != null) {
                locked.add(event.event().eventId());
            }
        }
        return locked;
    }

    /** Returns the values of one event, or an array of values for each column. */
    private static Object[] params(List<NewEvent> events) {
        if (events.size() == 1) {
            return values(events.get(0)).toArray();
        }
        String[][] columns = new String[COLUMNS][events.size()];
        for (int row = 0; row < events.size(); row++) {
            List<Object> values = values(events.get(row));
            for (int column = 0; column < COLUMNS; column++) {
                columns[column][row] = text(values.get(column));
            }
        }
        return columns;
    }

    private static List<Object> values(NewEvent event) {
        List<Object> values = new ArrayList<>(Inserts.values(event.event()));
        values.add(event.isKeyed() ? event.orderKey() : event.ownerId());
        return values;
    }

    /** Returns the value as PostgreSQL reads it; it wants years of more than four digits without a sign. */
    private static String text(Object value) {
        if (value instanceof Instant instant) {
            String time = LocalDateTime.ofInstant(instant.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC)
                    .toString();
            return time.startsWith("+") ? time.substring(1) : time;
        }
        return (String) value;
    }
}
