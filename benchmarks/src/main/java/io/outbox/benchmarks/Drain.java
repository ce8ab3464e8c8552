package io.outbox.benchmarks;

import java.util.List;

/**
 * A way to get a backlog delivered to a listener that does nothing, until every outcome is durable.
 *
 * @param key its name on a command line
 * @param label its name in tables
 */
record Drain(String key, String label, Way way) {

    /** How the backlog is drained. */
    @FunctionalInterface
    interface Way {
        void drain(Database database, int events) throws Exception;
    }

    static final Drain LOOP =
            new Drain("loop", "hand-written loop: claims 500, acknowledges 500, two threads", HandWritten::drain);
    static final Drain SINGLE = new Drain("single", "outbox, single node, batch 500", OutboxDrain.singleNode(500));
    static final Drain SINGLE_DEFAULTS =
            new Drain("single-defaults", "outbox, single node, all defaults", OutboxDrain.singleNode(0));
    static final Drain SEVERAL = new Drain("several", "outbox, several nodes, batch 500", OutboxDrain.multiNode(500));
    static final Drain SEVERAL_DEFAULTS =
            new Drain("several-defaults", "outbox, several nodes, all defaults", OutboxDrain.multiNode(0));

    /** All ways, the one first by which the others are measured. */
    static final List<Drain> ALL = List.of(LOOP, SINGLE, SINGLE_DEFAULTS, SEVERAL, SEVERAL_DEFAULTS);

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

    /** Drains what is in the table, and measures that. */
    Figures measure(Database database, int events) throws Exception {
        Meter meter = new Meter(database);
        way.drain(database, events);
        Figures figures = meter.stop(events);
        if (database.pending() != 0) {
            throw new IllegalStateException(database.pending() + " events are still pending after " + label);
        }
        return figures;
    }

    @Override
    public String toString() {
        return label;
    }
}
