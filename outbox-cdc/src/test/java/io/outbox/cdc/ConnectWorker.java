package io.outbox.cdc;

import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** A worker of Kafka Connect with one connector, in a JVM of its own, that can be killed and started again. */
final class ConnectWorker implements AutoCloseable {

    private static final String BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter";

    private final Path directory;
    private Process process;

    ConnectWorker(Path directory, KafkaServer kafka, Properties connector, Transform transform) {
        this.directory = directory;
        Properties worker = new Properties();
        worker.putAll(Map.of(
                "bootstrap.servers",
                kafka.bootstrapServers(),
                "key.converter",
                BYTES,
                "value.converter",
                BYTES,
                "header.converter",
                BYTES,
                "offset.storage.file.filename",
                offsets().toString(),
                "offset.flush.interval.ms",
                "500",
                "listeners",
                "http://127.0.0.1:0",
                "plugin.path",
                directory.toString(),
                "plugin.discovery",
                "service_load"));
        store(worker, "worker.properties");
        Properties all = new Properties();
        all.putAll(connector);
        transform
                .settings()
                .forEach(line -> all.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1)));
        store(all, "connector.properties");
    }

    private void store(Properties properties, String name) {
        try (OutputStream out = Files.newOutputStream(directory.resolve(name))) {
            properties.store(out, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The file of the positions in the log up to which everything was sent. */
    private Path offsets() {
        return directory.resolve("offsets");
    }

    ConnectWorker start() {
        try {
            process = new ProcessBuilder(List.of(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx300m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "org.apache.kafka.connect.cli.ConnectStandalone",
                            directory.resolve("worker.properties").toString(),
                            directory.resolve("connector.properties").toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(
                            Redirect.appendTo(directory.resolve("worker.log").toFile()))
                    .start();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the worker by SIGKILL. */
    void kill() {
        process.destroyForcibly();
        await().until(() -> !process.isAlive());
    }

    /** Lets the worker end by itself. */
    void stop() {
        process.destroy();
        await().atMost(Connector.PATIENCE).until(() -> !process.isAlive());
    }

    /** Waits until everything that was sent before this call will not be sent again, whatever happens. */
    void awaitFlush() {
        for (int i = 0; i < 2; i++) { // the first may have begun before
            FileTime before = lastFlush();
            await().atMost(Connector.PATIENCE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> !lastFlush().equals(before));
        }
    }

    private FileTime lastFlush() {
        try {
            return Files.exists(offsets()) ? Files.getLastModifiedTime(offsets()) : FileTime.fromMillis(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What the worker has logged. */
    String log() {
        try {
            return Files.readString(directory.resolve("worker.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
