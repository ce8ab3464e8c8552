package io.outbox.testing.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Work on several threads at the same time. */
public final class Parallel {

    private static final Duration LIMIT = Duration.ofMinutes(5);

    private Parallel() {}

    /** Runs the task on another thread and returns its result. */
    public static <T> T onAnotherThread(Callable<T> task) {
        return run(List.of(task)).get(0);
    }

    /** Runs the tasks at the same time, each on its own thread, and returns their results in the same order. */
    public static <T> List<T> run(List<Callable<T>> tasks) {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Future<T>> running = new ArrayList<>();
            tasks.forEach(task -> running.add(threads.submit(task)));
            List<T> results = new ArrayList<>();
            for (Future<T> future : running) {
                results.add(future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
            }
            return results;
        } catch (ExecutionException e) {
            throw new AssertionError("A parallel task failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("Parallel tasks did not end within " + LIMIT, e);
        } finally {
            threads.shutdownNow();
        }
    }
}
