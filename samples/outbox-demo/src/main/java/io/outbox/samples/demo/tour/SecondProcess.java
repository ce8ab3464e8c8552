package io.outbox.samples.demo.tour;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A JVM that runs {@link DoomedNode}. Closing it kills it. */
final class SecondProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 60;

    private final Process process;

    private SecondProcess(Process process) {
        this.process = process;
    }

    static SecondProcess start(String url, Duration lease) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new SecondProcess(new ProcessBuilder(
                        java,
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedNode.class.getName(),
                        url,
                        Long.toString(lease.toMillis()))
                .redirectError(Redirect.INHERIT)
                .start());
    }

    long pid() {
        return process.pid();
    }

    /** Waits until the node says that all of its workers are busy. */
    void awaitBusy() throws InterruptedException, ExecutionException, TimeoutException {
        String line = CompletableFuture.supplyAsync(this::readLine).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (!DoomedNode.READY.equals(line)) {
            throw new IllegalStateException("the second process did not get to work; it said: " + line);
        }
    }

    private String readLine() {
        try {
            return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the process, which has no chance to tidy up, and returns its exit code. */
    int kill() throws InterruptedException {
        return process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
