package io.outbox.jdbc.fault;

import io.outbox.testservers.support.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node of a multi-node outbox in a process of its own. */
final class NodeProcess implements AutoCloseable {

    private final Process process;
    private final Path journal;
    private final Path output;
    private final int writers;

    private NodeProcess(Process process, Path journal, Path output, int writers) {
        this.process = process;
        this.journal = journal;
        this.output = output;
        this.writers = writers;
    }

    /** Starts a node on the outbox table of a database; its files go into the directory. */
    static NodeProcess start(String jdbcUrl, String name, NodeSettings settings, Path directory) {
        Path journal = directory.resolve(name + ".journal");
        Path output = directory.resolve(name + ".out");
        List<String> command = ChildJvm.command(List.of("-Xmx128m"), NodeMain.class);
        command.addAll(List.of(jdbcUrl, name, journal.toString()));
        command.addAll(List.of(settings.toArguments()));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            return new NodeProcess(process, journal, output, settings.writers());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> noted(Journal.Kind kind) {
        return Journal.read(journal, kind);
    }

    boolean isReady() {
        requireAlive();
        return !noted(Journal.Kind.READY).isEmpty();
    }

    boolean hasWrittenAll() {
        requireAlive();
        return noted(Journal.Kind.WRITTEN).size() == writers;
    }

    private void requireAlive() {
        if (!process.isAlive()) {
            throw new AssertionError("The node ended by itself: " + output());
        }
    }

    /** Ends the process by SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Lets the node close its outbox and end. */
    void shutDown() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new AssertionError("The node did not shut down: " + output());
        }
    }

    private String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Returns what several nodes noted. */
    static List<String> noted(List<NodeProcess> nodes, Journal.Kind kind) {
        List<String> all = new ArrayList<>();
        nodes.forEach(node -> all.addAll(node.noted(kind)));
        return all;
    }
}
