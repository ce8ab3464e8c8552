package io.outbox.cdc;

import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.Subscription;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** A database with an outbox that only writes, and a connector that reads its log through a transform. */
final class Capture implements AutoCloseable {

    private static final String FOREIGN_ROW =
            "INSERT INTO outbox_event (event_id, event_type, %spayload, headers, status, available_at, created_at) VALUES"
                    + " ('%s', 'Foreign', %s'{}', %s, 0, '2026-01-02 03:04:05.678901', '2026-01-02 03:04:05.678901')";

    final LoggedDatabase database;
    final Outbox outbox;
    final Connector connector;
    private final Transform transform;

    Capture(LoggedDatabase.Kind kind, Transform transform) {
        this.transform = transform;
        database = new LoggedDatabase(kind).prepareForCapture();
        outbox = Outbox.writerOnly()
                .backend(database.jdbc.writerOnlyBackend())
                .subscription(Subscription.of("mail", "Order", "Subscribed"))
                .build();
        connector = started();
    }

    @Override
    public void close() {
        connector.close();
        outbox.close();
        database.close();
    }

    /** Returns another connector, with further settings that win. */
    Connector connector(String... further) {
        return new Connector(database.connector(), transform.settings(), List.of(further));
    }

    /** Returns another connector that reads the log from now on. */
    Connector started(String... further) {
        Connector started = connector(further);
        try {
            // Events that are written before it reads are not for it.
            await().alias("the connector reads the log")
                    .atMost(Connector.PATIENCE)
                    .pollInterval(Duration.ofMillis(250))
                    .until(() -> {
                        write(EventEnvelope.ofJson("Marker", "{}"));
                        return !started.received().isEmpty();
                    });
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    String write(EventEnvelope event) {
        try (Transaction tx = database.jdbc.begin()) {
            String id = outbox.writer().write(event);
            tx.commit();
            return id;
        }
    }

    /** Writes an event in a transaction that is rolled back. */
    String writeAndRollBack(EventEnvelope event) {
        try (Transaction tx = database.jdbc.begin()) {
            String id = outbox.writer().write(event);
            tx.rollback();
            return id;
        }
    }

    /** Writes an event that is rolled back, in a transaction that is not. */
    String writeAndRollBackToSavepoint(EventEnvelope event) throws SQLException {
        try (Transaction tx = database.jdbc.begin()) {
            Savepoint before = tx.connection().setSavepoint();
            String id = outbox.writer().write(event);
            tx.rollbackTo(before);
            tx.commit();
            return id;
        }
    }

    /** Writes a row with plain SQL; an aggregate type is a literal, {@code NULL}, or empty to leave the column out. */
    String insertForeign(String aggregateType, String headers) {
        String id = UUID.randomUUID().toString();
        boolean isNamed = !aggregateType.isEmpty();
        execute(FOREIGN_ROW.formatted(
                isNamed ? "aggregate_type, " : "", id, isNamed ? aggregateType + ", " : "", headers));
        return id;
    }

    void execute(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Returns how many rows of a type there are. */
    int count(String eventType) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT COUNT(*) FROM outbox_event WHERE event_type = '" + eventType + "'")) {
            result.next();
            return result.getInt(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the record of an event, once it is there. */
    Wire captured(String eventId) {
        return captured(connector, eventId);
    }

    Wire captured(Connector by, String eventId) {
        return transform.sent(
                by.await("event " + eventId, given -> eventId.equals(transform.eventId(transform.sent(given)))));
    }

    /** Writes an event and returns its record. */
    Wire captured(EventEnvelope event) {
        return captured(write(event));
    }

    /** Returns the records of everything that was committed until now. */
    List<Wire> allCaptured() {
        return allCaptured(connector);
    }

    List<Wire> allCaptured(Connector by) {
        captured(by, write(EventEnvelope.ofJson("Marker", "{}")));
        return by.received().stream().map(transform::sent).toList();
    }

    /** The builder of an event with everything that is usual. */
    static EventEnvelope.Builder order() {
        return EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("o-" + UUID.randomUUID())
                .payloadJson("{\"n\":1}");
    }
}
