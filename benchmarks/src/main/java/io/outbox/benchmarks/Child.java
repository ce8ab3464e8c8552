package io.outbox.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own that takes part in a measurement. It answers in lines, and goes on from step to step when it is told
 * to. Its standard input ends with this JVM, and so does it.
 */
final class Child implements AutoCloseable {

    private static final int END_SECONDS = 30;

    private final Process process;
    private final BufferedReader answers;

    private Child(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static Child start(List<String> jvmOptions, Class<?> main, String... args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(args));
        return new Child(
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
    }

    /** Lets it make its next step. */
    void goOn() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    /** Waits for its next answer. */
    String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IllegalStateException("A JVM of the benchmark has ended before its time");
        }
        return line;
    }

    /** Waits until it has ended; kills it if it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (IOException ended) {
            // there is nobody left to be told
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }

    /** The other end, in the child: tells the parent a line. */
    static void tell(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** The other end, in the child: waits until it is to make its next step, or to end. */
    static boolean awaitStep() throws IOException {
        return System.in.read() >= 0;
    }
}
