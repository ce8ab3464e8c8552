package io.outbox.testservers.support;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A class of the tests in another process, which can be killed. It ends with this JVM, since it reads from it. */
public final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final Path output;

    private ChildJvm(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Returns the command line that runs a class of this class path, to which the program's arguments can be added. */
    public static List<String> command(List<String> options, Class<?> main) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }

    /** Starts an application of Spring Boot that migrates no database, with settings as its arguments. */
    public static ChildJvm start(Class<?> main, Path directory, String... settings) {
        List<String> command =
                command(List.of("-Xmx192m", "-Dspring.flyway.enabled=false", "-Dspring.liquibase.enabled=false"), main);
        Stream.of(settings).map(setting -> "--" + setting).forEach(command::add);
        try {
            Path output = Files.createTempFile(directory, main.getSimpleName(), ".out");
            return new ChildJvm(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start(),
                    output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends this JVM with the one that started it; called by the child. */
    public static void endWithParent() {
        Thread watching = new Thread(
                () -> {
                    try {
                        while (System.in.read() >= 0) {}
                    } catch (IOException e) {
                        // gone all the same
                    }
                    Runtime.getRuntime().halt(1);
                },
                "parent");
        watching.setDaemon(true);
        watching.start();
    }

    /** Waits until the application has printed a line. */
    public void awaitLine(String line) {
        await().atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> {
                    requireAlive();
                    return lines().contains(line);
                });
    }

    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("ended by itself with " + process.exitValue() + ": " + lines());
        }
    }

    private List<String> lines() {
        try {
            return Files.readAllLines(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it by SIGKILL. */
    public void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
