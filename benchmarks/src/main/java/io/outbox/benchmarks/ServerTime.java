package io.outbox.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The processor time of the servers that this JVM has started, without that of other JVMs. */
final class ServerTime {

    /** Clock ticks of {@code /proc} per second, on every Linux that is in use. */
    private static final int TICKS_PER_SECOND = 100;

    /** Where a process' own time is in its line of figures, followed by that of its children that have ended. */
    private static final int FIRST_TIME = 11;

    private static final int TIMES = 4;

    private static final String JAVA = "(java)";

    private ServerTime() {}

    /** Returns the time of all processes up to now; that of a process which has ended is its parent's. */
    static long nanos() {
        return ProcessHandle.current()
                        .descendants()
                        .mapToLong(process -> ticks(process.pid()))
                        .sum()
                * (TimeUnit.SECONDS.toNanos(1) / TICKS_PER_SECOND);
    }

    private static long ticks(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // the name of the program is there to the last, unlike its path, in brackets, and may have blanks
            if (line.contains(JAVA)) {
                return 0;
            }
            String[] figures = line.substring(line.lastIndexOf(')') + 2).split(" ");
            long sum = 0;
            for (int i = FIRST_TIME; i < FIRST_TIME + TIMES; i++) {
                sum += Long.parseLong(figures[i]);
            }
            return sum;
        } catch (NoSuchFileException ended) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
