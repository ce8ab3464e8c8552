package io.outbox.dead;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.upkeep.Shutdown;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Calls the handler of dead letters on a thread of its own, one batch after the other, so that a slow one holds up
 * nobody. The thread comes with the first batch, and goes when there has been none for a while. What cannot be handed
 * over is logged. Thread-safe.
 */
final class HandlerQueue implements AutoCloseable {

    /** The most events that wait for the handler, if they are small. */
    static final int CAPACITY = 10_000;

    /** About how many bytes of payloads and headers wait for the handler at most. */
    private static final long MOST_BYTES =
            Math.min(32L << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final long REST_SECONDS = 10;
    private static final System.Logger LOG = System.getLogger(HandlerQueue.class.getName());

    private final OutboxDlqHandler handler;
    private final Semaphore room = new Semaphore(CAPACITY);
    private final ThreadPoolExecutor executor = new ThreadPoolExecutor(
            1,
            1,
            REST_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DaemonThreadFactory("outbox-dlq-handler-"));

    HandlerQueue(OutboxDlqHandler handler) {
        this.handler = handler;
        executor.allowCoreThreadTimeOut(true);
    }

    /** A batch that waits. */
    private final class Call implements Runnable {

        private final List<OutboxEvent> events;
        private final int size;

        private Call(List<OutboxEvent> events) {
            this.events = List.copyOf(events);
            this.size = (int) Math.min(events.size() + bytes(events) * CAPACITY / MOST_BYTES, CAPACITY);
        }

        private static long bytes(List<OutboxEvent> events) {
            return events.stream()
                    .mapToLong(event -> new DueEvent(event, null).bytes())
                    .sum();
        }

        @Override
        public void run() {
            try {
                handler.handle(events);
            } catch (Throwable e) {
                LOG.log(
                        Level.WARNING,
                        "The handler of dead letters failed for " + events.size()
                                + " events, which remain dead letters",
                        e);
            } finally {
                room.release(size);
            }
        }

        private void logNotMade(String why) {
            LOG.log(
                    Level.ERROR,
                    "{0} events were moved to the dead letter queue, but its handler was not called: it {1}: {2}",
                    events.size(),
                    why,
                    events.stream().map(OutboxEvent::eventId).collect(Collectors.joining(", ")));
        }
    }

    /** Hands over a batch, and waits for room for so long at most. */
    void add(List<OutboxEvent> events, Duration patience) {
        Call call = new Call(events);
        if (!acquireRoom(call.size, patience)) {
            call.logNotMade("is behind");
            return;
        }
        try {
            executor.execute(call);
        } catch (RejectedExecutionException e) {
            room.release(call.size);
            call.logNotMade("has ended");
        }
    }

    private boolean acquireRoom(int size, Duration patience) {
        try {
            return room.tryAcquire(size, patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return room.tryAcquire(size);
        }
    }

    /** Waits a while for what was handed over, and then gives up on it. */
    @Override
    public void close() {
        executor.shutdown();
        Shutdown.await(executor).forEach(call -> ((Call) call).logNotMade("takes too long at shutdown"));
    }
}
