package io.outbox.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;

/** Measures a piece of work on a number of events, from its construction on. */
final class Meter {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final Database database;
    private final long serverNanos = serverNanos();
    private final long walPosition;
    private final long jvmNanos = SYSTEM.getProcessCpuTime();
    private final long startNanos = System.nanoTime();

    Meter(Database database) throws SQLException {
        this.walPosition = database.walPosition();
        this.database = database;
    }

    Figures stop(int events) throws SQLException {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double jvmMicros = (SYSTEM.getProcessCpuTime() - jvmNanos) / 1e3;
        double serverMicros = (serverNanos() - serverNanos) / 1e3;
        double wal = walPosition < 0 ? Double.NaN : database.walPosition() - walPosition;
        return new Figures(
                events / seconds,
                jvmMicros / events,
                serverMicros <= 0 ? Double.NaN : serverMicros / events,
                wal / events);
    }

    /** Returns the processor time of the servers that this JVM has started. */
    private static long serverNanos() {
        return ProcessHandle.current()
                .descendants()
                .mapToLong(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos())
                .sum();
    }
}
