package io.outbox.testing.contract;

import io.outbox.spi.OutboxBackend;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A storage engine as the contract suites drive it: one empty store, its transactions, a look into its rows, and its
 * time. An engine author writes one such class per engine and hands it to {@link OutboxBackendContract} and
 * {@link DeliveryContract}.
 */
public interface EngineUnderTest extends AutoCloseable {

    /** Returns the backend on this store, always the same. */
    OutboxBackend backend();

    /**
     * Runs the work on the calling thread in a transaction that the backend joins. It commits if the work returns, and
     * rolls back and rethrows if the work throws. An engine without transactions just runs the work.
     */
    void inTransaction(Runnable work);

    /** Returns what the store holds under this id; {@link JdbcStoredEvents#find} does it for tables. */
    Optional<StoredEvent> find(String eventId);

    /** Returns the store's time. Default: this machine's. */
    default Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MICROS);
    }

    /** Returns once the given time has passed on the store's clock. Default: waits. */
    default void letTimePass(Duration duration) {
        Waiting.pause(duration);
    }

    /** Returns whether an empty text comes back as one, and not as no text, as Oracle has it. Default: it does. */
    default boolean keepsEmptyTexts() {
        return true;
    }

    /** Frees what the engine holds; called after each test. */
    @Override
    default void close() {}
}
