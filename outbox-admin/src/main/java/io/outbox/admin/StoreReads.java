package io.outbox.admin;

import io.outbox.spi.OutboxBackendException;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What operators read from the store: little at a time, since each read has a connection of the application's pool.
 * While the store does not answer, browsers ask again and again; the application must not run out of connections for
 * that. Thread-safe.
 */
final class StoreReads {

    static final int MOST = 4;

    private static final int MOST_WAITING = 32;
    private static final long WAIT_MILLIS = 2000;
    private static final long LONG_WAIT_MILLIS = 20_000;
    private static final System.Logger LOG = System.getLogger(StoreReads.class.getName());

    private final Semaphore room = new Semaphore(MOST, true);
    private final Outage outage = new Outage(
            LOG,
            Level.ERROR,
            "The store does not answer the administration; operators see an error",
            "The store answers the administration again");

    /** Reads once there is room; a {@link Problem} if that takes too long. */
    <T> T read(Supplier<T> reading) {
        boolean isRoom = room.tryAcquire() || (room.getQueueLength() < MOST_WAITING && await(WAIT_MILLIS));
        return read(isRoom, reading);
    }

    /**
     * Reads more for an answer that has begun, and would break off without it. There are few of these, so they wait in line
     * with any number of others, and longer.
     */
    <T> T readMore(Supplier<T> reading) {
        return read(await(LONG_WAIT_MILLIS), reading);
    }

    private <T> T read(boolean isRoom, Supplier<T> reading) {
        if (!isRoom) {
            throw Problem.tooManyReads(MOST);
        }
        try {
            T result = reading.get();
            outage.over();
            return result;
        } finally {
            room.release();
        }
    }

    private boolean await(long millis) {
        try {
            return room.tryAcquire(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Notes that the store failed while a request was answered. */
    void failed(AdminRequest request, OutboxBackendException e) {
        outage.failed("The store failed while the administration answered " + request, e);
    }
}
