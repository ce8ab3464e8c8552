package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import java.util.Locale;

/** What event types with lanes of their own cost while nothing happens. */
final class IdlePart implements Part {

    private static final int[] TYPES = {0, 1, 100};
    private static final int INTERVAL_MS = 2000;

    private final Database database;

    IdlePart(Database database) {
        this.database = database;
    }

    @Override
    public void run(Report report) throws Exception {
        database.createLaneIndex();
        report.table(
                "At rest for " + Settings.IDLE_SECONDS + " s, polling every 2 s, PostgreSQL, several nodes",
                "threads",
                "transactions/s");
        for (int types : TYPES) {
            System.out.printf("At rest with %d lanes …%n", types);
            measure(types, report);
        }
    }

    private void measure(int types, Report report) throws Exception {
        var builder = Outbox.multiNode()
                .claimLocking(Lease.DEFAULT_DURATION)
                .backend(database.jdbc().backend())
                .intervalMs(INTERVAL_MS);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        for (int i = 0; i < types; i++) {
            listeners.register("Type" + i, event -> DispatchResult.done());
            builder.lane("Type" + i, LanePolicy.builder().build());
        }
        Outbox outbox = builder.listenerRegistry(listeners).build();
        try (outbox) {
            Thread.sleep(2 * INTERVAL_MS);
            long before = database.transactions();
            Thread.sleep(Settings.IDLE_SECONDS * 1000L);
            double perSecond = (double) (database.transactions() - before) / Settings.IDLE_SECONDS;
            report.row(
                    types + " event types with lanes",
                    String.valueOf(outboxThreads()),
                    String.format(Locale.ROOT, "%.1f", perSecond));
        }
    }

    private static long outboxThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .count();
    }
}
