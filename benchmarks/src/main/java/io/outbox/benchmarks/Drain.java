package io.outbox.benchmarks;

import java.sql.SQLException;
import java.util.List;

/**
 * A way to get a backlog delivered to a listener that does nothing, until every outcome is durable.
 *
 * @param key its name on a command line
 * @param label its name in tables
 * @param table where it expects its backlog
 */
record Drain(String key, String label, Table table, Way way) {

    /** How the backlog is drained. */
    @FunctionalInterface
    interface Way {
        void drain(Database database, int events) throws Exception;
    }

    /** A table with events that wait. */
    enum Table {
        /** The outbox's. */
        OUTBOX {
            @Override
            void insertBacklog(Database database, int events) throws SQLException {
                database.insertBacklog(events);
            }

            @Override
            long pending(Database database) throws SQLException {
                return database.pending();
            }
        },
        /** That of the loop that has one of its own. */
        OWN {
            @Override
            void insertBacklog(Database database, int events) throws SQLException {
                database.insertOwnBacklog(events);
            }

            @Override
            long pending(Database database) throws SQLException {
                return database.ownPending();
            }
        };

        abstract void insertBacklog(Database database, int events) throws SQLException;

        abstract long pending(Database database) throws SQLException;
    }

    /** A way to drain the outbox's table. */
    Drain(String key, String label, Way way) {
        this(key, label, Table.OUTBOX, way);
    }

    static final Drain LOOP =
            new Drain("loop", "hand-written loop: claims 500, acknowledges 500, two threads", HandWritten::drain);
    static final Drain OWN = new Drain(
            "own",
            "loop with a table of its own: locks and marks 500, two threads",
            Table.OWN,
            (database, events) -> HandWritten.drain(database, events, OwnTable::relayMarking));
    static final Drain OWN_DELETING = new Drain(
            "own-deleting",
            "loop with a table of its own: locks and deletes 500, two threads",
            Table.OWN,
            (database, events) -> HandWritten.drain(database, events, OwnTable::relayDeleting));
    static final Drain SINGLE = new Drain("single", "outbox, single node, batch 500", OutboxDrain.singleNode(500));
    static final Drain SINGLE_DEFAULTS =
            new Drain("single-defaults", "outbox, single node, all defaults", OutboxDrain.singleNode(0));
    static final Drain SINGLE_DELETING = new Drain(
            "single-deleting", "outbox, single node, batch 500, deleting", OutboxDrain.singleNodeDeleting(500));
    static final Drain SEVERAL = new Drain("several", "outbox, several nodes, batch 500", OutboxDrain.multiNode(500));
    static final Drain SEVERAL_DEFAULTS =
            new Drain("several-defaults", "outbox, several nodes, all defaults", OutboxDrain.multiNode(0));
    static final Drain SEVERAL_DELETING = new Drain(
            "several-deleting", "outbox, several nodes, batch 500, deleting", OutboxDrain.multiNodeDeleting(500));

    /** All ways, the one first by which the others are measured. */
    static final List<Drain> ALL = List.of(
            LOOP,
            OWN,
            OWN_DELETING,
            SINGLE,
            SINGLE_DEFAULTS,
            SINGLE_DELETING,
            SEVERAL,
            SEVERAL_DEFAULTS,
            SEVERAL_DELETING);

    /** Returns those of the ways that the settings name, or all. */
    static List<Drain> chosen() {
        return Settings.WAYS.isEmpty()
                ? ALL
                : ALL.stream()
                        .filter(drain -> Settings.WAYS.contains(drain.key))
                        .toList();
    }

    static Drain of(String key) {
        return ALL.stream().filter(drain -> drain.key.equals(key)).findFirst().orElseThrow();
    }

    /** Fills the table that is drained, and nothing else. */
    void prepare(Database database, int events) throws SQLException {
        database.reset();
        table.insertBacklog(database, events);
    }

    /** Drains what is in the table, and measures that. */
    Figures measure(Database database, int events) throws Exception {
        Meter meter = new Meter(database);
        way.drain(database, events);
        Figures figures = meter.stop(events);
        long pending = table.pending(database);
        if (pending != 0) {
            throw new IllegalStateException(pending + " events are still pending after " + label);
        }
        return figures;
    }

    @Override
    public String toString() {
        return label;
    }
}
