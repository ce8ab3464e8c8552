package io.outbox.soak.node;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.Entry.Writing;
import io.outbox.soak.ledger.Entry.Written;
import io.outbox.soak.ledger.EventKind;
import io.outbox.soak.ledger.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * The business of a node: threads that write events in transactions, at a bounded rate, and note how each transaction
 * ended. They go on while the database is away and after the outbox was closed, until they are told to stop.
 */
final class Writers {

    private static final int THREADS = 4;
    private static final int LARGEST_TRANSACTION = 4;
    private static final int LARGE_BATCH = 40;
    private static final int LARGE_BATCH_ONE_IN = 20;
    private static final int ROLLBACK_ONE_IN = 8;
    private static final int ERROR_ONE_IN = 4;
    private static final int LARGE_PAYLOADS_ONE_IN = 4;
    private static final int LARGE_BATCH_OF_LARGE = 20;
    private static final int LARGEST_PAYLOAD = 1_000_000;
    private static final int LONGEST_PAUSE_MS = 400;
    private static final int LONGEST_DELAY_MS = 3_000;
    private static final int PAUSE_AFTER_FAILURE_MS = 100;

    private final Engine engine;
    private final OutboxWriter writer;
    private final Ledger ledger;
    private final boolean inOrder;
    private final boolean publishes;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;
    private volatile boolean catchesErrors;
    private volatile boolean writesLarge;

    private Writers(Engine engine, OutboxWriter writer, Ledger ledger, NodeSettings settings) {
        this.inOrder = settings.inOrder();
        this.publishes = !settings.broker().isEmpty();
        this.engine = engine;
        this.writer = writer;
        this.ledger = ledger;
    }

    static Writers start(Engine engine, OutboxWriter writer, Ledger ledger, NodeSettings settings) {
        Writers writers = new Writers(engine, writer, ledger, settings);
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(settings.seed() + i);
            Thread thread = new Thread(() -> writers.run(random), "soak-writer-" + i);
            thread.start();
            writers.threads.add(thread);
        }
        return writers;
    }

    void obey(Command command) {
        switch (command) {
            case QUIET -> stop();
            case CATCH_ERRORS -> catchesErrors = true;
            case CATCH_NO_ERRORS -> catchesErrors = false;
            case WRITE_LARGE -> writesLarge = true;
            case WRITE_SMALL -> writesLarge = false;
            case EXHAUST_POOL -> engine.exhaust();
            case FREE_POOL -> engine.free();
        }
    }

    /** Lets the transactions under way end, and begins no more. */
    void stop() {
        stopped = true;
    }

    void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void run(Random random) {
        try {
            while (!stopped) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_PAUSE_MS));
                List<EventEnvelope> events = events(random);
                events.forEach(event -> ledger.append(writing(event)));
                Course course = course(random);
                TransactionEnd end = engine.transact(() -> write(events), course);
                Instant now = Instant.now();
                events.forEach(event -> ledger.append(new Written(event.eventId(), end, now)));
                if (end != TransactionEnd.COMMITTED && course == Course.COMMIT) {
                    TimeUnit.MILLISECONDS.sleep(PAUSE_AFTER_FAILURE_MS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Writing writing(EventEnvelope event) {
        Instant availableAt = event.isDelayed() ? event.availableAt() : event.occurredAt();
        return new Writing(event.eventId(), EventKind.valueOf(event.eventType()), availableAt);
    }

    private Course course(Random random) {
        if (catchesErrors && random.nextInt(ERROR_ONE_IN) == 0) {
            return Course.ERRORS.get(random.nextInt(Course.ERRORS.size()));
        }
        return random.nextInt(ROLLBACK_ONE_IN) == 0 ? Course.ROLL_BACK : Course.COMMIT;
    }

    private List<EventEnvelope> events(Random random) {
        boolean large = writesLarge && random.nextInt(LARGE_PAYLOADS_ONE_IN) == 0;
        int size = 1 + random.nextInt(LARGEST_TRANSACTION);
        if (random.nextInt(LARGE_BATCH_ONE_IN) == 0) {
            size = large ? LARGE_BATCH_OF_LARGE : LARGE_BATCH;
        }
        List<EventEnvelope> events = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            events.add(event(random, large ? random.nextInt(LARGEST_PAYLOAD) : 0));
        }
        // in the same order by all, or they would wait for each other
        events.sort(Comparator.comparing(EventEnvelope::key, Comparator.nullsFirst(Comparator.naturalOrder())));
        return events;
    }

    private EventEnvelope event(Random random, int payloadSize) {
        EventKind kind = kind(random.nextInt(1_000));
        EventEnvelope.Builder event =
                EventEnvelope.builder(kind.name()).payloadJson("\"" + "x".repeat(payloadSize) + "\"");
        if (kind == EventKind.DELAYED) {
            event.deliverAfter(Duration.ofMillis(1 + random.nextInt(LONGEST_DELAY_MS)));
        } else if (inOrder) {
            event.aggregateId(Keys.next(random));
        }
        return event.build();
    }

    private EventKind kind(int permille) {
        if (permille < 2) {
            return EventKind.LONG;
        }
        if (permille < 22) {
            return EventKind.SLOW;
        }
        if (permille < 42) {
            return EventKind.FAILING;
        }
        if (permille < 62) {
            return EventKind.DEFERRED;
        }
        if (permille < 72) {
            return EventKind.HOPELESS;
        }
        if (permille < 150) {
            return EventKind.DELAYED;
        }
        return publishes && permille < 300 ? EventKind.PUBLISHED : EventKind.PLAIN;
    }

    private void write(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (event.key() != null) {
                engine.nextNumber(event.key())
                        .ifPresent(number -> ledger.append(new Keyed(event.eventId(), event.key(), number)));
            }
        }
        if (events.size() == 1) {
            writer.write(events.get(0));
        } else {
            writer.writeAll(events);
        }
    }
}
