package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A way to commit business rows, each with an event beside it that is delivered meanwhile.
 *
 * @param label its name in tables
 */
record Traffic(String label, Way way) {

    static final Traffic WITHOUT = new Traffic("without an outbox", Traffic::without);
    static final Traffic LOOP = new Traffic(
            "hand-written: an INSERT, and a relay that looks every 10 ms",
            database -> new ByHand(
                    database,
                    database.dialect().loop(),
                    1,
                    conn -> HandWritten.insert(conn, EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD))));
    static final Traffic OWN = new Traffic(
            "loop with a table of its own, marking, two threads",
            database -> new ByHand(database, OwnTable::relayMarking, HandWritten.THREADS, OwnTable::insert));
    static final Traffic OWN_DELETING = new Traffic(
            "loop with a table of its own, deleting, two threads",
            database -> new ByHand(database, OwnTable::relayDeleting, HandWritten.THREADS, OwnTable::insert));
    static final Traffic SINGLE = new Traffic(
            "outbox, single node",
            database -> new WithOutbox(
                    database, Outbox.singleNode().backend(database.jdbc().backend())));
    static final Traffic SEVERAL = new Traffic(
            "outbox, several nodes",
            database -> new WithOutbox(
                    database,
                    Outbox.multiNode()
                            .claimLocking(Lease.DEFAULT_DURATION)
                            .backend(database.jdbc().backend())));

    /** All ways, the one first by which the others are measured. */
    static final List<Traffic> ALL = List.of(WITHOUT, LOOP, OWN, OWN_DELETING, SINGLE, SEVERAL);

    private static final long RELAY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Starts what delivers events. */
    @FunctionalInterface
    interface Way {
        Session start(Database database);
    }

    /** Something that delivers events while others write them. */
    interface Session extends AutoCloseable {

        /** Commits one business row with its event. */
        void commit() throws SQLException;

        /** Returns how many events were delivered. */
        long delivered();

        @Override
        void close();
    }

    @Override
    public String toString() {
        return label;
    }

    private static Session without(Database database) {
        return new Session() {
            @Override
            public void commit() throws SQLException {
                try (Connection conn = database.connection()) {
                    conn.setAutoCommit(false);
                    insertBusinessRow(conn);
                    conn.commit();
                }
            }

            @Override
            public long delivered() {
                return 0;
            }

            @Override
            public void close() {}
        };
    }

    /** An INSERT by hand, and relays that look every 10 ms. */
    private static final class ByHand implements Session {

        private final Database database;
        private final Insert insert;
        private final AtomicBoolean closed = new AtomicBoolean();
        private final AtomicLong delivered = new AtomicLong();
        private final List<Thread> relays = new ArrayList<>();

        /** Writes an event. */
        @FunctionalInterface
        private interface Insert {
            void into(Connection conn) throws SQLException;
        }

        private ByHand(Database database, Dialect.Loop loop, int threads, Insert insert) {
            this.database = database;
            this.insert = insert;
            for (int i = 0; i < threads; i++) {
                String owner = "relay-" + i;
                Thread relay = new Thread(() -> relay(loop, owner), owner);
                relay.start();
                relays.add(relay);
            }
        }

        private void relay(Dialect.Loop loop, String owner) {
            try {
                loop.relay(database, owner, count -> {
                    delivered.addAndGet(count);
                    if (count < HandWritten.BATCH) {
                        LockSupport.parkNanos(RELAY_PAUSE_NANOS);
                    }
                    return !closed.get();
                });
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void commit() throws SQLException {
            try (Connection conn = database.connection()) {
                conn.setAutoCommit(false);
                insertBusinessRow(conn);
                insert.into(conn);
                conn.commit();
            }
        }

        @Override
        public long delivered() {
            return delivered.get();
        }

        @Override
        public void close() {
            closed.set(true);
            try {
                for (Thread relay : relays) {
                    relay.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The outbox, with all defaults. */
    static final class WithOutbox implements Session {

        private final Database database;
        private final Outbox outbox;
        private final AtomicLong delivered = new AtomicLong();

        WithOutbox(Database database, Outbox.AbstractBuilder<?> builder) {
            this(database, builder, event -> DispatchResult.done());
        }

        WithOutbox(Database database, Outbox.AbstractBuilder<?> builder, EventListener listener) {
            this.database = database;
            this.outbox = builder.listenerRegistry(new DefaultListenerRegistry().register("Benchmarked", event -> {
                        delivered.incrementAndGet();
                        return listener.onEvent(event);
                    }))
                    .build();
        }

        @Override
        public void commit() throws SQLException {
            commit(EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD), () -> {});
        }

        /** Commits an event; what is to run when the commit is through runs before the outbox is told. */
        void commit(EventEnvelope event, Runnable afterCommit) throws SQLException {
            try (Transaction tx = database.jdbc().begin()) {
                insertBusinessRow(tx.connection());
                database.jdbc().txContext().afterCommit(afterCommit);
                outbox.writer().write(event);
                tx.commit();
            }
        }

        @Override
        public long delivered() {
            return delivered.get();
        }

        @Override
        public void close() {
            outbox.close();
        }
    }

    private static void insertBusinessRow(Connection conn) throws SQLException {
        try (PreparedStatement insert = conn.prepareStatement("INSERT INTO business (name) VALUES (?)")) {
            insert.setString(1, "an order of a customer");
            insert.executeUpdate();
        }
    }
}
