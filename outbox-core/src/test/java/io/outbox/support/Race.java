package io.outbox.support;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool of threads that lets actions start at the same moment, over and over. */
public final class Race implements AutoCloseable {

    private static final long TIMEOUT_SECONDS = 60;

    private final ExecutorService pool;

    public Race(int threads) {
        this.pool = Executors.newFixedThreadPool(threads);
    }

    /** Runs both actions at once and returns their results in order. */
    public <T> List<T> both(Callable<T> one, Callable<T> other) throws Exception {
        return run(List.of(one, other));
    }

    /** Runs the same action several times at once. */
    public <T> List<T> times(int count, Callable<T> action) throws Exception {
        List<Callable<T>> actions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            actions.add(action);
        }
        return run(actions);
    }

    /** Runs the actions at once and returns their results in order. */
    public <T> List<T> run(List<Callable<T>> actions) throws Exception {
        AtomicInteger missing = new AtomicInteger(actions.size());
        List<Future<T>> futures = new ArrayList<>();
        for (Callable<T> action : actions) {
            futures.add(pool.submit(() -> {
                missing.decrementAndGet();
                while (missing.get() > 0) {
                    Thread.yield();
                }
                return action.call();
            }));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(result(future));
        }
        return results;
    }

    private static <T> T result(Future<T> future) throws InterruptedException {
        try {
            return future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("a thread of the race failed", e);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
        try {
            if (!pool.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("a thread of the race did not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
