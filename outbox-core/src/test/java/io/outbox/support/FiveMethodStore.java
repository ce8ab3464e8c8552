package io.outbox.support;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What a third party may bring: a store in memory with only the five abstract methods, and a record of its calls. */
public class FiveMethodStore implements OutboxStore {

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<Connection, List<OutboxEvent>> uncommitted = new IdentityHashMap<>();
    private final List<Poll> polls = new ArrayList<>();
    private int failingMarks;
    private int failingPolls;

    /** The state of one event. */
    public record Row(OutboxEvent stored, EventStatus status, Instant availableAt, String error) {}

    /** The arguments of one {@code pollPending}. */
    public record Poll(Instant now, Duration skipRecent, int limit) {}

    /**
     * Inserts the event; it is visible at once without a connection, else when the connection's transaction commits.
     */
    @Override
    public synchronized void insertNew(Connection conn, EventEnvelope event) {
        OutboxEvent row = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                0,
                event.occurredAt(),
                event.availableAt() != null ? event.availableAt() : event.occurredAt());
        if (conn == null) {
            put(row);
        } else {
            uncommitted.computeIfAbsent(conn, key -> new ArrayList<>()).add(row);
        }
    }

    /** Makes visible what was inserted on the connection. */
    public synchronized void commit(Connection conn) {
        List<OutboxEvent> inserted = uncommitted.remove(conn);
        if (inserted != null) {
            inserted.forEach(this::put);
        }
    }

    /** Forgets what was inserted on the connection. */
    public synchronized void rollback(Connection conn) {
        uncommitted.remove(conn);
    }

    /** Returns the ids of what was inserted on the connection and not committed. */
    public synchronized List<String> uncommitted(Connection conn) {
        return uncommitted.getOrDefault(conn, List.of()).stream()
                .map(OutboxEvent::eventId)
                .toList();
    }

    /** Puts a pending row as another writer may have left it. */
    public synchronized void put(OutboxEvent row) {
        if (rows.putIfAbsent(row.eventId(), new Row(row, EventStatus.NEW, row.availableAt(), null)) != null) {
            throw new IllegalStateException("duplicate key " + row.eventId());
        }
    }

    @Override
    public synchronized int markDone(Connection conn, String eventId) {
        return mark(eventId, row -> new Row(row.stored, EventStatus.DONE, row.availableAt, null));
    }

    @Override
    public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return mark(eventId, row -> new Row(oneMoreAttempt(row.stored, nextAt), EventStatus.RETRY, nextAt, error));
    }

    @Override
    public synchronized int markDead(Connection conn, String eventId, String error) {
        return mark(eventId, row -> new Row(row.stored, EventStatus.DEAD, row.availableAt, error));
    }

    @Override
    public synchronized List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        polls.add(new Poll(now, skipRecent, limit));
        if (failingPolls > 0) {
            failingPolls--;
            throw new IllegalStateException("the store is down");
        }
        return rows.values().stream()
                .filter(row -> !row.status.isTerminal())
                .filter(row -> !row.availableAt.isAfter(now))
                .map(Row::stored)
                .filter(row -> !row.createdAt().isAfter(now.minus(skipRecent)))
                .sorted(Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId))
                .limit(limit)
                .toList();
    }

    /** Makes the next calls of a mark method fail. */
    public synchronized void failMarks(int count) {
        failingMarks = count;
    }

    /** Makes the next polls fail. */
    public synchronized void failPolls(int count) {
        failingPolls = count;
    }

    public synchronized Row row(String eventId) {
        return rows.get(eventId);
    }

    public synchronized EventStatus status(String eventId) {
        return rows.get(eventId).status;
    }

    public synchronized int attempts(String eventId) {
        return rows.get(eventId).stored.attempts();
    }

    public synchronized int size() {
        return rows.size();
    }

    /** Returns how many rows have the status. */
    public synchronized long count(EventStatus status) {
        return rows.values().stream().filter(row -> row.status == status).count();
    }

    public synchronized List<String> ids() {
        return List.copyOf(rows.keySet());
    }

    public synchronized List<Poll> polls() {
        return List.copyOf(polls);
    }

    private int mark(String eventId, UnaryOperator<Row> change) {
        if (failingMarks > 0) {
            failingMarks--;
            throw new IllegalStateException("the store is down");
        }
        Row row = rows.get(eventId);
        if (row == null || row.status.isTerminal()) {
            return 0;
        }
        rows.put(eventId, change.apply(row));
        return 1;
    }

    private static OutboxEvent oneMoreAttempt(OutboxEvent row, Instant nextAt) {
        return new OutboxEvent(
                row.eventId(),
                row.eventType(),
                row.aggregateType(),
                row.aggregateId(),
                row.tenantId(),
                row.payloadJson(),
                row.headersJson(),
                row.attempts() + 1,
                row.createdAt(),
                nextAt);
    }
}
