package io.outbox.internal.lifecycle;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** The end of a scheduler's thread. */
public final class Shutdown {

    private static final long TIMEOUT_MS = 5000;

    private Shutdown() {}

    /** Waits a while for a run that is under way after {@code shutdown()}, then interrupts it. */
    public static void await(ExecutorService scheduler) {
        try {
            if (!scheduler.awaitTermination(TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
                scheduler.shutdownNow();
            }
        } catch (InterruptedException e) {
            scheduler.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
