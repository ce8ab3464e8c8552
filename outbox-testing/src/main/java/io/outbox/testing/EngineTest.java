package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.OutboxBackend.FetchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A fresh engine for each test, and the vocabulary in which the contracts speak about it. */
abstract class EngineTest {

    static final Comparator<OutboxEvent> CREATION_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);
    /** The order in which pages of due events follow each other. */
    static final Comparator<OutboxEvent> PAGE_ORDER =
            Comparator.comparing(OutboxEvent::availableAt).thenComparing(CREATION_ORDER);
    /** Longer than any test. */
    static final Duration LONG_LEASE = Duration.ofHours(1);

    static final Duration SHORT_LEASE = Duration.ofMillis(200);
    static final String TYPE = "ContractEvent";
    static final String PAYLOAD = "{\"n\":1}";

    private static final Duration PARALLEL_LIMIT = Duration.ofMinutes(5);

    EngineUnderTest engine;
    OutboxBackend backend;

    /** Returns an engine on an empty store; called before each test. */
    protected abstract EngineUnderTest createEngine() throws Exception;

    @BeforeEach
    final void openEngine() throws Exception {
        engine = createEngine();
        backend = engine.backend();
    }

    @AfterEach
    final void closeEngine() throws Exception {
        if (engine != null) {
            engine.close();
        }
    }

    /** Begins an event that occurs now, by the store's clock. */
    final EventEnvelope.Builder event() {
        return EventEnvelope.builder(TYPE).occurredAt(engine.now()).payloadJson(PAYLOAD);
    }

    /** Returns an event that occurred that long ago. */
    final EventEnvelope aged(Duration age) {
        return event().occurredAt(engine.now().minus(age)).build();
    }

    /** Returns due events in order of creation. */
    final List<EventEnvelope> dueEvents(int count) {
        Instant first = engine.now().minus(Duration.ofMinutes(1));
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event().occurredAt(first.plusMillis(i)).build());
        }
        return events;
    }

    /** Stores due events that no one holds and returns their ids in order of creation. */
    final List<String> storeDue(int count) {
        List<EventEnvelope> events = dueEvents(count);
        store(events, null);
        return ids(events);
    }

    /** Stores one due event that no one holds. */
    final String storeDue() {
        return storeDue(1).get(0);
    }

    final String store(EventEnvelope event) {
        store(List.of(event), null);
        return event.eventId();
    }

    final void store(List<EventEnvelope> events, String ownerId) {
        engine.inTransaction(() -> backend.persist(events, ownerId));
    }

    final List<OutboxEvent> fetch(int limit) {
        return backend.fetch(new FetchRequest(engine.now(), Duration.ZERO, limit, null, 0));
    }

    final List<OutboxEvent> claim(String ownerId, int limit) {
        return claim(ownerId, LONG_LEASE, limit);
    }

    final List<OutboxEvent> claim(String ownerId, Duration lease, int limit) {
        return backend.claim(new ClaimRequest(new Lease(ownerId, lease), Duration.ZERO, limit));
    }

    final StoredEvent stored(String eventId) {
        return engine.find(eventId).orElseThrow(() -> new AssertionError("event " + eventId + " is not stored"));
    }

    static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    static List<String> rowIds(List<OutboxEvent> rows) {
        return rows.stream().map(OutboxEvent::eventId).toList();
    }

    /** Runs the work in a transaction that rolls back. */
    final void rollBack(Runnable work) {
        rollBack(engine, work);
    }

    static void rollBack(EngineUnderTest engine, Runnable work) {
        RuntimeException request = new RuntimeException("roll back, please");
        try {
            engine.inTransaction(() -> {
                work.run();
                throw request;
            });
        } catch (RuntimeException e) {
            for (Throwable cause = e; cause != request; cause = cause.getCause()) {
                if (cause == null) {
                    throw e;
                }
            }
            return;
        }
        throw new AssertionError("inTransaction must rethrow what the work throws");
    }

    /** Runs the task on another thread and returns its result. */
    static <T> T onAnotherThread(Callable<T> task) {
        return inParallel(List.of(task)).get(0);
    }

    /** Runs the tasks at the same time, each on its own thread, and returns their results in the same order. */
    static <T> List<T> inParallel(List<Callable<T>> tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Future<T>> running = new ArrayList<>();
            tasks.forEach(task -> running.add(threads.submit(task)));
            List<T> results = new ArrayList<>();
            for (Future<T> future : running) {
                results.add(future.get(PARALLEL_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("A parallel task failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("Parallel tasks did not end within " + PARALLEL_LIMIT, e);
        } finally {
            threads.shutdownNow();
        }
    }

    static void assertNoDuplicates(Map<String, Integer> timesById, int expected) {
        assertThat(timesById).hasSize(expected);
        assertThat(timesById).allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
    }
}
