package io.outbox.testing;

import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A complete storage engine in memory, for tests. It keeps all rules of {@link OutboxBackend}, claims included. Nothing
 * survives the JVM.
 *
 * <p>It comes in two kinds. One has transactions of its own, and needs one to write: events become visible when it
 * commits. The other, {@link #withoutTransactions}, needs none: what is written is visible at once, unless the thread
 * has {@linkplain #begin() begun} a transaction all the same.
 *
 * <p>Leases run on the given clock, with the microseconds that databases keep. Thread-safe.
 */
public final class InMemoryOutboxBackend extends ForwardingBackend {

    private final InMemoryTable table;
    private final InMemoryWriting writing;

    /** Creates an empty store that lives on the system's time. */
    public InMemoryOutboxBackend() {
        this(Clock.systemUTC());
    }

    /** Creates an empty store that lives on the given clock's time. */
    public InMemoryOutboxBackend(Clock clock) {
        this(clock, true);
    }

    private InMemoryOutboxBackend(Clock clock, boolean needsTransaction) {
        this(new InMemoryTable(Objects.requireNonNull(clock, "clock")), needsTransaction);
    }

    private InMemoryOutboxBackend(InMemoryTable table, boolean needsTransaction) {
        this(table, new InMemoryWriting(table, needsTransaction));
    }

    private InMemoryOutboxBackend(InMemoryTable table, InMemoryWriting writing) {
        super(writing, table, table);
        this.table = table;
        this.writing = writing;
    }

    /** Returns an empty store that needs no transaction and lives on the given clock's time. */
    public static InMemoryOutboxBackend withoutTransactions(Clock clock) {
        return new InMemoryOutboxBackend(clock, false);
    }

    /**
     * Begins a transaction on the calling thread.
     *
     * @throws IllegalStateException if the thread is in one already
     */
    public InMemoryTransaction begin() {
        return writing.begin();
    }

    /** Runs the work in a transaction that commits, or rolls back if the work throws. */
    public void inTransaction(Runnable work) {
        callInTransaction(() -> {
            work.run();
            return null;
        });
    }

    /** Calls the work in a transaction that commits, or rolls back if the work throws, and returns its result. */
    public <T> T callInTransaction(Supplier<T> work) {
        try (InMemoryTransaction transaction = begin()) {
            T result = work.get();
            transaction.commit();
            return result;
        }
    }

    /** Returns all stored events, in the order in which they became visible. */
    public List<StoredEvent> events() {
        return table.all();
    }

    /** Returns the stored event with this id. */
    public Optional<StoredEvent> find(String eventId) {
        return table.find(eventId);
    }
}
