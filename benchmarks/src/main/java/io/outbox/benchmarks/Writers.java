package io.outbox.benchmarks;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Threads that commit for a while, as fast as they can or at a rate. */
final class Writers {

    private Writers() {}

    /** Commits something. */
    @FunctionalInterface
    interface Commit {
        void run() throws Exception;
    }

    /**
     * Returns how often was committed.
     *
     * @param perSecond the rate of all together, or 0 for as fast as they can
     */
    static long run(int threads, int seconds, int perSecond, Commit commit) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long gapNanos = perSecond == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) * threads / perSecond;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            long committed = 0;
            for (Future<Long> thread : IntStream.range(0, threads)
                    .mapToObj(i -> executor.submit(() -> commitUntil(end, gapNanos, commit)))
                    .toList()) {
                committed += thread.get();
            }
            return committed;
        } finally {
            executor.shutdown();
        }
    }

    private static long commitUntil(long end, long gapNanos, Commit commit) throws Exception {
        long count = 0;
        for (long next = System.nanoTime(); next - end < 0 && System.nanoTime() - end < 0; next += gapNanos) {
            if (gapNanos > 0) {
                LockSupport.parkNanos(next - System.nanoTime());
            }
            commit.run();
            count++;
        }
        return count;
    }
}
