package io.outbox.cdc;

import io.debezium.embedded.Connect;
import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.connect.source.SourceRecord;
import org.awaitility.Awaitility;

/** Debezium in this JVM, with what it would give to the converters of Kafka Connect. */
final class Connector implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<SourceRecord> received = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();
    private final DebeziumEngine<ChangeEvent<SourceRecord, SourceRecord>> engine;
    private final Thread thread;

    /** Begins to read the log where the settings say; which it does some time after this returns. */
    Connector(Properties settings, List<String> transform, List<String> further) {
        Properties all = new Properties();
        all.putAll(settings);
        all.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
        all.put("offset.flush.interval.ms", "1000");
        Stream.of(transform, further).flatMap(List::stream).forEach(line -> {
            all.put(line.substring(0, line.indexOf('=')), line.substring(line.indexOf('=') + 1));
        });
        engine = DebeziumEngine.create(Connect.class)
                .using(all)
                .using((success, message, error) -> end.complete(error))
                .notifying(event -> received.add(event.value()))
                .build();
        thread = new Thread(engine, "connector");
        thread.start();
    }

    List<SourceRecord> received() {
        return List.copyOf(received);
    }

    /** Returns the first record that is like this, once there is one. */
    SourceRecord await(String what, Predicate<SourceRecord> wanted) {
        await(what, () -> received.stream().anyMatch(wanted));
        return received.stream().filter(wanted).findFirst().orElseThrow();
    }

    /** Returns what the connector has ended with by itself. */
    Throwable failure() {
        Awaitility.await().atMost(PATIENCE).until(end::isDone);
        return end.join();
    }

    private void await(String what, Callable<Boolean> condition) {
        Awaitility.await()
                .alias(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    if (end.isDone()) {
                        throw new IllegalStateException("The connector has ended", end.join());
                    }
                    return condition.call();
                });
    }

    @Override
    public void close() {
        try {
            engine.close();
            thread.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            // it has ended by itself
            if (!end.isDone()) {
                throw e;
            }
        }
    }
}
