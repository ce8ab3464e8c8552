package io.outbox.spring.boot.brokers;

import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Calls of the application's code that must not take for ever. They run on other threads, since nothing else can leave
 * a call that hangs behind; one that hangs is interrupted. Thread-safe.
 */
final class TimeLimit implements AutoCloseable {

    private static final int MOST_THREADS = 64;

    private final Duration limit;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DaemonThreadFactory("outbox-serializer-"));

    TimeLimit(Duration limit) {
        this.limit = limit;
    }

    /**
     * Returns what the call returns.
     *
     * @param name what is called, for messages
     * @throws IllegalStateException if it takes too long, or too many calls hang
     */
    <T> T call(String name, Callable<T> call) {
        Future<T> result = submit(name, call);
        try {
            return result.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            result.cancel(true);
            throw new IllegalStateException(name + " did not answer within " + limit + ", so the transaction fails", e);
        } catch (InterruptedException e) {
            result.cancel(true);
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name, e);
        } catch (ExecutionException e) {
            throw TimeLimit.<RuntimeException>asItWas(e.getCause());
        }
    }

    private <T> Future<T> submit(String name, Callable<T> call) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            return threads.submit(() -> {
                Thread.currentThread().setContextClassLoader(loader);
                return call.call();
            });
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException(
                    name + " cannot be called: " + MOST_THREADS + " calls are under way, or the application ends", e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItWas(Throwable e) throws E {
        throw (E) e;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
