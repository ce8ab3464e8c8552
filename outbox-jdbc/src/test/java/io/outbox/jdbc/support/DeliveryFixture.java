package io.outbox.jdbc.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** A database of its own with outboxes on it whose listener takes every event of {@link #TYPE}. */
public final class DeliveryFixture implements AutoCloseable {

    public static final String TYPE = "Tested";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int POLL_INTERVAL_MS = 20;

    private final HikariDataSource pool;
    private final JdbcOutbox jdbc;
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final Queue<EventEnvelope> delivered = new ConcurrentLinkedQueue<>();
    private final List<Outbox> outboxes = new ArrayList<>();

    private DeliveryFixture(String url, String tableName) {
        this.pool = TestDatabase.pool(url, 10);
        this.jdbc = JdbcOutbox.of(pool, tableName);
        this.listeners.register(TYPE, event -> {
            delivered.add(event);
            return DispatchResult.done();
        });
    }

    /** Opens an empty database with the table of our own schema. */
    public static DeliveryFixture on(TestDatabase database) {
        DeliveryFixture fixture = on(database.newUrl(), "outbox_event");
        fixture.jdbc.createSchema();
        return fixture;
    }

    /** Opens a database as it is. */
    public static DeliveryFixture on(String url, String tableName) {
        return new DeliveryFixture(url, tableName);
    }

    /** The modes in which an outbox delivers. */
    public enum Mode {
        SINGLE_NODE,
        MULTI_NODE,
        ORDERED
    }

    /** Builds and starts an outbox, which the fixture closes. */
    public Outbox open(Mode mode) {
        Outbox.AbstractBuilder<?> builder = switch (mode) {
            case SINGLE_NODE -> Outbox.singleNode().retryPolicy(attempts -> 5);
            case MULTI_NODE ->
                Outbox.multiNode()
                        .claimLocking("node-" + outboxes.size(), LEASE)
                        .retryPolicy(attempts -> 5);
            case ORDERED -> Outbox.ordered();
        };
        return open(builder);
    }

    public Outbox open(Outbox.AbstractBuilder<?> builder) {
        Outbox outbox = builder.backend(jdbc.backend())
                .listenerRegistry(listeners)
                .intervalMs(POLL_INTERVAL_MS)
                .build();
        outboxes.add(outbox);
        return outbox;
    }

    /** Writes events in a transaction that commits, without an outbox that delivers them at once. */
    public void store(List<EventEnvelope> events) {
        inTransaction(Outbox.writerOnly().backend(jdbc.backend()).build().writer(), writer -> writer.writeAll(events));
    }

    /** Runs work in a transaction that commits. */
    public void inTransaction(OutboxWriter writer, Consumer<OutboxWriter> work) {
        try (Transaction tx = jdbc.begin()) {
            work.accept(writer);
            tx.commit();
        }
    }

    /** Waits until exactly these events, and no others, were delivered and are DONE. */
    public void assertDelivered(Collection<String> eventIds) {
        await().atMost(PATIENCE).until(() -> delivered.size() >= eventIds.size());
        await().atMost(PATIENCE).until(() -> number("status = 1") >= eventIds.size());
        assertThat(delivered).extracting(EventEnvelope::eventId).containsExactlyInAnyOrderElementsOf(eventIds);
    }

    /** Counts rows. */
    public long number(String condition) {
        return OutboxRows.number(pool, "SELECT COUNT(*) FROM " + jdbc.store().tableName() + " WHERE " + condition);
    }

    /** Returns the events the listener saw, in the order it did. */
    public List<EventEnvelope> delivered() {
        return List.copyOf(delivered);
    }

    public HikariDataSource pool() {
        return pool;
    }

    public JdbcOutbox jdbc() {
        return jdbc;
    }

    public DefaultListenerRegistry listeners() {
        return listeners;
    }

    /** Returns new events of {@link #TYPE}. */
    public static List<EventEnvelope> events(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson(TYPE, "{\"number\":" + i + "}"));
        }
        return events;
    }

    public static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    /** Closes everything and checks that no connection was kept. */
    @Override
    public void close() {
        outboxes.forEach(Outbox::close);
        await().untilAsserted(() ->
                assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero());
        pool.close();
    }
}
