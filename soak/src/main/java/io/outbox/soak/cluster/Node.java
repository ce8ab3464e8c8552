package io.outbox.soak.cluster;

import io.outbox.soak.ledger.Entry;
import io.outbox.soak.ledger.Ledger;
import io.outbox.soak.node.Command;
import io.outbox.soak.node.NodeMain;
import io.outbox.soak.node.NodeSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own. Used by one thread. */
public final class Node {

    private static final int START_TIMEOUT_SECONDS = 60;
    private static final int CLOSE_TIMEOUT_SECONDS = 30;
    private static final int POLL_MS = 20;

    private final NodeSettings settings;
    private final Process process;
    private final Path output;
    private final Watchdog watchdog;

    private Node(NodeSettings settings, Process process, Path output, Watchdog watchdog) {
        this.settings = settings;
        this.process = process;
        this.output = output;
        this.watchdog = watchdog;
    }

    static Node start(NodeSettings settings, String classPath, Watchdog watchdog) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                NodeMain.class.getName()));
        command.addAll(settings.toArguments());
        Path output = settings.ledger().resolveSibling(settings.name() + ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            watchdog.watch(process);
            return new Node(settings, process, output, watchdog);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the name under which it owns events. */
    public String name() {
        return settings.name();
    }

    /** Returns what it has noted so far. */
    public List<Entry> entries() {
        return Ledger.read(settings.ledger());
    }

    /** Waits until it delivers. */
    public void awaitReady() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
        while (!entries().contains(new Entry.Ready())) {
            requireAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name() + " does not start; see " + output);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
    }

    /** Fails if it has ended by itself. */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    name() + " ended by itself with exit code " + process.exitValue() + "; see " + output);
        }
    }

    /** Tells it how to go on. */
    public void tell(Command command) throws IOException {
        OutputStream commands = process.getOutputStream();
        commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
        commands.flush();
    }

    /** Lets it close its outbox, and waits until it has ended. */
    public void shutDown() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    name() + " does not end within " + CLOSE_TIMEOUT_SECONDS + " s of its close; see " + output);
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(
                    name() + " closed with exit code " + process.exitValue() + "; see " + output);
        }
        watchdog.forget(process);
    }

    /** Ends it by SIGKILL. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        watchdog.forget(process);
    }

    /** Stops it by SIGSTOP. */
    public void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Lets it go on after {@link #stop()}. */
    public void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        String command = "kill -" + signal + " " + process.pid();
        if (new ProcessBuilder("sh", "-c", command).start().waitFor() != 0) {
            throw new IllegalStateException(command + " failed for " + name());
        }
    }
}
