package io.outbox.jdbc;

import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.store.Connections;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Creates the index by event type once it is needed, on a thread of its own: a database may wait with it until all
 * transactions have ended that are open now, and delivery must not. The poller waits only for a moment, which is enough
 * for a new table. An attempt that fails is repeated after a pause of ten times its duration, as long as the poller
 * asks. Thread-safe.
 */
final class IndexCreation {

    private static final System.Logger LOG = System.getLogger("io.outbox.jdbc");
    private static final ThreadFactory THREADS = new DaemonThreadFactory("outbox-index-");

    private static final long MOMENT_MS = 1_000;
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int PAUSE_FACTOR = 10;

    private final Connections connections;
    private final LaneIndex index;
    private final Runnable look;
    private final LongSupplier nanoTime;
    /** The last attempt, which tells whether the index is there; {@code null} before the first. Guarded by this. */
    private CompletableFuture<Boolean> attempt;

    private volatile long nextAtNanos;

    /** @param look has the store look for the index, and warn if there is none */
    IndexCreation(Connections connections, AbstractJdbcOutboxStore store, Runnable look, LongSupplier nanoTime) {
        this.connections = connections;
        this.index = LaneIndex.of(store.getClass(), store.schemaScript(), store.tableName(), store.isSchemaCatalog());
        this.look = look;
        this.nanoTime = nanoTime;
    }

    /** Begins to create the index unless it is there, and waits for a moment. */
    void begin() {
        CompletableFuture<Boolean> begun;
        synchronized (this) {
            if (attempt == null || attempt.isDone()) {
                attempt = attempt(true);
            }
            begun = attempt;
        }
        try {
            begun.get(MOMENT_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.log(
                    Level.INFO,
                    "The index by event type of {0} is being created during delivery. The database delays this until"
                            + " transactions have ended that are open now",
                    index.catalog().tableName());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins again if the last attempt has failed a while ago. */
    synchronized void tryAgain() {
        if (attempt != null && attempt.isDone() && !isCreated(attempt) && nextAtNanos - nanoTime.getAsLong() <= 0) {
            attempt = attempt(false);
        }
    }

    private static boolean isCreated(CompletableFuture<Boolean> ended) {
        return !ended.isCompletedExceptionally() && ended.join();
    }

    private CompletableFuture<Boolean> attempt(boolean first) {
        CompletableFuture<Boolean> created = new CompletableFuture<>();
        THREADS.newThread(() -> {
                    long began = nanoTime.getAsLong();
                    try {
                        boolean isThere = connections.with(this::create);
                        if (first || isThere) {
                            look.run();
                        }
                        planNext(began);
                        created.complete(isThere);
                    } catch (RuntimeException | Error e) {
                        planNext(began);
                        created.completeExceptionally(e);
                    }
                })
                .start();
        return created;
    }

    private void planNext(long began) {
        long now = nanoTime.getAsLong();
        nextAtNanos = now + Math.max(SHORTEST_PAUSE_NANOS, PAUSE_FACTOR * (now - began));
    }

    private boolean create(Connection conn) {
        try {
            index.createBesideWriters(conn);
            return true;
        } catch (SQLException | OutboxStoreException e) {
            LOG.log(Level.DEBUG, "The index by event type cannot be created", e);
            return false;
        }
    }
}
