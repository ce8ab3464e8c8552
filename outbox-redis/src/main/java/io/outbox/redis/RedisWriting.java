package io.outbox.redis;

import io.outbox.DuplicateEventException;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.WriteBackend;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/** Writing to Redis: at once, or with whatever the thread has in hand. Thread-safe. */
final class RedisWriting implements WriteBackend {

    private final RedisCalls redis;
    private final Replication replication;
    private final Executor deliveries;
    private final boolean transactionsOnly;
    private final KeptOrder order;
    private final ThreadLocal<WriteScope> current = new ThreadLocal<>();

    RedisWriting(
            RedisCalls redis, Replication replication, Executor deliveries, boolean transactionsOnly, KeptOrder order) {
        this.order = order;
        this.transactionsOnly = transactionsOnly;
        this.redis = redis;
        this.replication = replication;
        this.deliveries = deliveries;
    }

    @Override
    public boolean requiresActiveTransaction() {
        return transactionsOnly;
    }

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public String noTransactionReason() {
        return "No transaction on this thread: "
                + (transactionsOnly ? "this outbox takes no event alone. " : "Redis needs none to store an event. ")
                + "To change data together with it, write it in RedisOutbox.inTransaction(...) or runScript(...), on"
                + " the thread of the block";
    }

    /** Needs no preparation: the sets of keys come into being with the first event that keeps its order. */
    @Override
    public void prepareKeys() {
        order.keep();
    }

    /**
     * Does nothing: an event gets its place when its transaction or script is executed, and no two of these overlap.
     */
    @Override
    public void lockKeys(Collection<String> keys) {}

    @Override
    public Set<String> persist(List<NewEvent> events) {
        WriteScope scope = current.get();
        if (scope != null) {
            scope.add(events);
        } else if (!events.isEmpty()) {
            append(events);
        }
        Set<String> owned = new HashSet<>();
        for (NewEvent event : events) {
            if (event.ownerId() != null) {
                owned.add(event.event().eventId());
            }
        }
        return owned;
    }

    private void append(List<NewEvent> events) {
        NewEvents batch = new NewEvents(events);
        redis.run(Script.append(batch), List.of(), batch.arguments(), (duplicates, connection) -> {
            if (!duplicates.isEmpty()) {
                throw duplicate(duplicates);
            }
            replication.await(connection, redis.timeout());
            return duplicates;
        });
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        WriteScope scope = current.get();
        if (scope == null) {
            deliveries.execute(() -> callback.accept(TransactionEnd.COMMITTED));
        } else {
            scope.afterCompletion(callback);
        }
    }

    /**
     * Gathers what this thread writes while the work runs; the work stores it when it has all. Whoever waits for the
     * end is told afterwards, when the thread is in the scope no more.
     *
     * @throws IllegalStateException if the thread is in a scope already
     */
    <T> T gather(Function<WriteScope, T> work) {
        if (current.get() != null) {
            throw new IllegalStateException("This thread is in a transaction of Redis already; they cannot be nested");
        }
        WriteScope scope = new WriteScope();
        current.set(scope);
        try {
            return work.apply(scope);
        } finally {
            current.remove();
            scope.tell();
        }
    }

    static DuplicateEventException duplicate(List<?> ids) {
        return new DuplicateEventException(
                ids.stream().map(String.class::cast).distinct().toList(), null);
    }
}
