package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What writers have committed, what they have rolled back, and what has arrived. */
final class Ledger implements AutoCloseable {

    private static final int WRITERS = 3;
    private static final int KEYS_OF_A_WRITER = 4;
    private static final long PAUSE_NANOS = 5_000_000;

    private final JdbcOutbox jdbc;
    private final Outbox outbox;
    private final long seed;
    private final Map<String, List<String>> committed = new ConcurrentHashMap<>();
    private final Set<String> rolledBack = ConcurrentHashMap.newKeySet();
    private final Map<String, List<String>> arrived = new ConcurrentHashMap<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Set<String> fresh = ConcurrentHashMap.newKeySet();
    private final Set<String> settled = ConcurrentHashMap.newKeySet();
    private final List<Thread> writers = new ArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private volatile boolean writing = true;

    Ledger(JdbcOutbox jdbc, Outbox outbox, long seed) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.seed = seed;
        for (int writer = 0; writer < WRITERS; writer++) {
            int number = writer;
            Thread thread = new Thread(() -> write(number), "writer-" + number);
            thread.setUncaughtExceptionHandler((dead, failure) -> failures.add(failure));
            writers.add(thread);
            thread.start();
        }
    }

    /** Each writer has keys of its own, so that the order of its commits is the order of the key. */
    private void write(int writer) {
        Random random = new Random(seed + writer);
        while (writing) {
            String key = "k-" + writer + "-" + random.nextInt(KEYS_OF_A_WRITER);
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = random.nextInt(3); i >= 0; i--) {
                events.add(EventEnvelope.builder("OrderPlaced")
                        .aggregateType("Order")
                        .aggregateId(key)
                        .payloadJson("{}")
                        .build());
            }
            boolean commits = random.nextInt(100) >= 20;
            try (Transaction tx = jdbc.begin()) {
                List<String> ids = outbox.writer().writeAll(events);
                if (commits) {
                    tx.commit();
                    committed
                            .computeIfAbsent(key, none -> new CopyOnWriteArrayList<>())
                            .addAll(ids);
                } else {
                    tx.rollback();
                    rolledBack.addAll(ids);
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    void arrived(String key, String eventId) {
        if (seen.add(eventId)) {
            fresh.add(eventId);
        }
        arrived.computeIfAbsent(key, none -> new CopyOnWriteArrayList<>()).add(eventId);
    }

    /** Tells whether that many more have arrived since this call. */
    BooleanSupplier hasArrived(int more) {
        long enough = countArrived() + more;
        return () -> countArrived() >= enough;
    }

    private long countArrived() {
        return arrived.values().stream().mapToLong(List::size).sum();
    }

    /** Returns the events that have arrived for the first time since the last call. */
    Set<String> takeNew() {
        Set<String> taken = Set.copyOf(fresh);
        fresh.removeAll(taken);
        return taken;
    }

    void mustNotComeAgain(Set<String> eventIds) {
        settled.addAll(eventIds);
    }

    boolean isComplete() {
        return committed.values().stream().allMatch(seen::containsAll);
    }

    void stopWriting() {
        close();
        assertThat(failures).isEmpty();
    }

    @Override
    public void close() {
        writing = false;
        for (Thread writer : writers) {
            try {
                writer.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Checks what has arrived: everything that was committed, in the order of each key, and nothing else.
     *
     * @param breaks how often the connector went away
     */
    String check(int breaks) {
        long repeated = 0;
        assertThat(rolledBack).isNotEmpty().doesNotContainAnyElementsOf(seen);
        for (Map.Entry<String, List<String>> key : committed.entrySet()) {
            List<String> all = arrived.get(key.getKey());
            assertThat(all.stream().distinct().toList())
                    .as("first arrivals of %s, seed %d", key.getKey(), seed)
                    .isEqualTo(key.getValue());
            for (String id : key.getValue()) {
                long times = all.stream().filter(id::equals).count();
                assertThat(times).as("arrivals of %s", id).isBetween(1L, settled.contains(id) ? 1L : breaks + 1L);
                repeated += times - 1;
            }
        }
        return countArrived() + " arrived, " + repeated + " of them again, 0 lost, 0 out of order, " + rolledBack.size()
                + " rolled back, " + settled.size() + " sent before a flush came once";
    }
}
