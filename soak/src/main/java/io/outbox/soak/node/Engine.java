package io.outbox.soak.node;

import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import java.util.OptionalLong;

/** What a node keeps its events in. Thread-safe. */
interface Engine extends AutoCloseable {

    static Engine open(String url) {
        return url.startsWith("redis:") ? new RedisEngine(url) : new JdbcEngine(url);
    }

    /** Begins with an outbox on this engine. */
    MultiNodeBuilder outbox();

    /**
     * Runs a transaction of the business and returns how it ended, whatever goes wrong.
     *
     * @param write writes the events
     * @throws UnsupportedOperationException if this engine's transactions cannot go like that
     */
    TransactionEnd transact(Runnable write, Course course);

    /**
     * Makes other writers of the key wait until the transaction of the business ends in which this is called, and
     * returns the number of the key's next event; nothing if the store alone knows the order of commits.
     */
    OptionalLong nextNumber(String key);

    /**
     * Keeps all connections that the outbox could get, from soon on.
     *
     * @throws UnsupportedOperationException if there is no pool
     */
    void exhaust();

    /** Ends {@link #exhaust()}. */
    void free();

    @Override
    void close();
}
