package io.outbox.jdbc.fault;

import java.time.Duration;

/** How a {@link NodeProcess} behaves; travels as the arguments of its process. */
record NodeSettings(
        Duration lease,
        Duration listenerTime,
        int writers,
        int transactionsPerWriter,
        int queueCapacity,
        boolean keepsDone) {

    /** A node that only delivers. */
    static NodeSettings delivering(Duration lease, Duration listenerTime) {
        return new NodeSettings(lease, listenerTime, 0, 0, 50, true);
    }

    NodeSettings writing(int writers, int transactionsPerWriter) {
        return new NodeSettings(lease, listenerTime, writers, transactionsPerWriter, queueCapacity, keepsDone);
    }

    NodeSettings queueing(int queueCapacity) {
        return new NodeSettings(lease, listenerTime, writers, transactionsPerWriter, queueCapacity, keepsDone);
    }

    /** The same node with a retention of zero. */
    NodeSettings deleting() {
        return new NodeSettings(lease, listenerTime, writers, transactionsPerWriter, queueCapacity, false);
    }

    String[] toArguments() {
        return new String[] {
            Long.toString(lease.toMillis()),
            Long.toString(listenerTime.toMillis()),
            Integer.toString(writers),
            Integer.toString(transactionsPerWriter),
            Integer.toString(queueCapacity),
            Boolean.toString(keepsDone)
        };
    }

    static NodeSettings ofArguments(String[] args, int from) {
        return new NodeSettings(
                Duration.ofMillis(Long.parseLong(args[from])),
                Duration.ofMillis(Long.parseLong(args[from + 1])),
                Integer.parseInt(args[from + 2]),
                Integer.parseInt(args[from + 3]),
                Integer.parseInt(args[from + 4]),
                Boolean.parseBoolean(args[from + 5]));
    }
}
