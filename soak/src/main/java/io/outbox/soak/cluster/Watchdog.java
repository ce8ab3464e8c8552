package io.outbox.soak.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Ends all nodes with this JVM, however it ends. A node that is stopped cannot notice by itself that nobody needs it
 * any more. So a shell beside this JVM reads from a pipe which processes there are, and kills the last ones it knows of
 * when the pipe ends. Thread-safe.
 */
final class Watchdog implements AutoCloseable {

    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM
            watched=
            while read -r line; do watched=$line; done
            [ -z "$watched" ] || kill -KILL $watched
            """;
    private static final int END_TIMEOUT_SECONDS = 10;

    private final Process shell;
    private final Set<Long> watched = new TreeSet<>();

    private Watchdog(Process shell) {
        this.shell = shell;
    }

    static Watchdog start() {
        try {
            return new Watchdog(new ProcessBuilder("sh", "-c", SCRIPT)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized void watch(Process process) {
        watched.add(process.pid());
        tell();
    }

    /** Forgets a process that has ended, before its id goes to another one. */
    synchronized void forget(Process process) {
        watched.remove(process.pid());
        tell();
    }

    private void tell() {
        String line = watched.stream().map(String::valueOf).collect(Collectors.joining(" ", "", "\n"));
        try {
            shell.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
            shell.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the watchdog is gone", e);
        }
    }

    /** Kills what is still watched. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
            shell.waitFor(END_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
