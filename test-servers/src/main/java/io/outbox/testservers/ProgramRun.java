package io.outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that has run to its end in a JVM of its own, on this one's class path.
 *
 * @param lines what it printed, without leading and trailing spaces
 * @param left the processes that it started and that were still there when it had ended
 */
public record ProgramRun(List<String> lines, List<ProcessHandle> left) {

    /**
     * Runs a program that is expected to end well.
     *
     * @param directory for what it prints
     * @throws IllegalStateException with what it printed, if it does not end in time or not with exit code zero
     */
    public static ProgramRun of(Class<?> main, Path directory, Duration limit)
            throws IOException, InterruptedException {
        Path output = directory.resolve("output.txt");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = program.waitFor(limit.toSeconds(), TimeUnit.SECONDS);
        List<ProcessHandle> left = program.descendants().toList();
        program.destroyForcibly();
        List<String> lines =
                Files.readAllLines(output).stream().map(String::strip).toList();
        if (!ended || program.exitValue() != 0) {
            String end = ended ? "ended with exit code " + program.exitValue() : "has not ended within " + limit;
            throw new IllegalStateException(main.getName() + " " + end + ": " + lines);
        }
        return new ProgramRun(lines, left);
    }
}
