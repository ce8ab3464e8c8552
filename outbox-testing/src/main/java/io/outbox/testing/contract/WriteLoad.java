package io.outbox.testing.contract;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Threads that write events of several kinds in transactions, some of which roll back. Each thread writes to an
 * aggregate of its own, with a running number as payload.
 */
final class WriteLoad {

    static final String FAST = "Fast";
    static final String SLOW = "Slow";
    static final String FLAKY = "Flaky";
    static final String DELAYED = "Delayed";

    private static final int MAX_EVENTS_PER_TRANSACTION = 3;

    private final EngineUnderTest engine;
    private final Supplier<OutboxWriter> writer;
    private final List<String> eventTypes;
    private final Queue<String> committed = new ConcurrentLinkedQueue<>();
    private final Map<String, List<String>> payloadsByAggregate = new ConcurrentHashMap<>();

    /** Creates a load of the given event types; the writer is asked for anew before each transaction. */
    WriteLoad(EngineUnderTest engine, Supplier<OutboxWriter> writer, List<String> eventTypes) {
        this.engine = engine;
        this.writer = writer;
        this.eventTypes = eventTypes;
    }

    /** Writes with that many threads and returns when all are done. */
    void run(int threads, int transactionsPerThread) {
        Parallel.run(tasks(threads, transactionsPerThread));
    }

    /** Returns one task per writing thread. */
    List<Callable<Void>> tasks(int threads, int transactionsPerThread) {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            String aggregateId = "aggregate-" + i;
            Random random = new Random(i);
            payloadsByAggregate.put(aggregateId, new ArrayList<>());
            tasks.add(() -> {
                int number = 0;
                for (int t = 0; t < transactionsPerThread; t++) {
                    number = transaction(aggregateId, random, number);
                }
                return null;
            });
        }
        return tasks;
    }

    private int transaction(String aggregateId, Random random, int number) {
        List<EventEnvelope> events = new ArrayList<>();
        int next = number;
        for (int i = random.nextInt(MAX_EVENTS_PER_TRANSACTION); i >= 0; i--) {
            events.add(event(aggregateId, random, next++));
        }
        boolean together = random.nextBoolean();
        Runnable work = () -> {
            OutboxWriter current = writer.get();
            if (together) {
                current.writeAll(events);
            } else {
                events.forEach(current::write);
            }
        };
        if (engine.backend().requiresActiveTransaction() && random.nextInt(4) == 0) {
            EngineRules.rollBack(engine, work);
        } else {
            engine.inTransaction(work);
            events.forEach(event -> {
                committed.add(event.eventId());
                payloadsByAggregate.get(aggregateId).add(event.payloadJson());
            });
        }
        return next;
    }

    private EventEnvelope event(String aggregateId, Random random, int number) {
        String type = eventTypes.get(random.nextInt(eventTypes.size()));
        EventEnvelope.Builder event =
                EventEnvelope.builder(type).aggregateId(aggregateId).payloadJson("{\"number\":" + number + "}");
        return type.equals(DELAYED)
                ? event.deliverAfter(Duration.ofMillis(10 + random.nextInt(150)))
                        .build()
                : event.build();
    }

    Collection<String> committed() {
        return committed;
    }

    /** Returns the committed payloads of each aggregate in the order they were written. */
    Map<String, List<String>> payloadsByAggregate() {
        return payloadsByAggregate;
    }
}
