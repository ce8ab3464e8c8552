package io.outbox.upkeep;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** The end of an executor's thread. */
public final class Shutdown {

    private static final long TIMEOUT_MS = 5000;

    private Shutdown() {}

    /** Waits a while for what is under way after {@code shutdown()}, then interrupts it; returns what never began. */
    public static List<Runnable> await(ExecutorService executor) {
        try {
            return executor.awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS) ? List.of() : executor.shutdownNow();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return executor.shutdownNow();
        }
    }
}
