package io.outbox.kafka;

import java.lang.System.Logger.Level;
import java.util.concurrent.locks.LockSupport;

/**
 * Flushes the producer on a thread of its own, whenever asked to.
 *
 * <p>A flush makes the producer send at once instead of waiting for fuller requests, but it returns only when
 * everything sent before is settled, which in an outage takes longer than a worker may wait. While a flush is under way
 * the producer sends whatever comes at once, so the requests that arrive meanwhile are served by one more flush.
 */
final class Flusher implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Flusher.class.getName());

    private final Runnable flush;
    private final Thread thread;
    private volatile boolean requested;
    private volatile boolean closed;

    Flusher(Runnable flush) {
        this.flush = flush;
        this.thread = new Thread(this::run, "outbox-kafka-flush");
        thread.setDaemon(true);
        thread.start();
    }

    /** Makes sure that a flush begins after this call. */
    void request() {
        requested = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closed) {
            if (!requested) {
                LockSupport.park(this);
                continue;
            }
            requested = false;
            try {
                flush.run();
            } catch (RuntimeException e) {
                // The records themselves tell the workers what is wrong.
                LOG.log(Level.DEBUG, "The producer cannot be flushed", e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
