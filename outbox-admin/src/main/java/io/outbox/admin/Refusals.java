package io.outbox.admin;

import io.outbox.spi.MetricsExporter;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;

/**
 * Who was not let in. All are counted; the log names each address once a minute; and an address that was refused often
 * gets its next refusal a little later. Whoever has the right token is never delayed. Thread-safe.
 */
final class Refusals {

    private static final System.Logger LOG = System.getLogger(Refusals.class.getName());
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
    private static final int MOST_ADDRESSES = 1000;
    private static final int OFTEN = 10;
    private static final long DELAY_MILLIS = 500;

    private final Map<String, Long> byReason = new TreeMap<>();
    private final Map<String, Window> byAddress = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Window> eldest) {
            return size() > MOST_ADDRESSES;
        }
    };
    private final Semaphore delayed = new Semaphore(4);
    private final MetricsExporter metrics;
    private final Outage outage =
            new Outage(LOG, "The metrics exporter failed; the administration refuses requests without it");

    Refusals(MetricsExporter metrics) {
        this.metrics = metrics;
    }

    private static final class Window {
        private final long begun = System.nanoTime();
        private int count;
    }

    /** Counts a refusal; returns once it may be answered. */
    void add(AdminRequest request, Problem problem) {
        report(problem.kind());
        InetAddress remote = request.remote();
        String address = remote == null ? "an unknown address" : remote.getHostAddress();
        if (count(address, request, problem) > OFTEN && delayed.tryAcquire()) {
            try {
                Thread.sleep(DELAY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                delayed.release();
            }
        }
    }

    private void report(String reason) {
        try {
            metrics.incrementAdminRefused(reason);
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
    }

    /** Returns how often the address was refused within the last minute. */
    private synchronized int count(String address, AdminRequest request, Problem problem) {
        byReason.merge(problem.kind(), 1L, Long::sum);
        Window window = byAddress.get(address);
        if (window == null || System.nanoTime() - window.begun > WINDOW_NANOS) {
            int more = window == null ? 0 : window.count - 1;
            window = new Window();
            byAddress.remove(address);
            byAddress.put(address, window);
            LOG.log(
                    Level.WARNING,
                    "The administration of the outbox refused " + address + ": " + problem.kind() + " at "
                            + request.target().method() + " " + request.target().path()
                            + (more == 0 ? "" : "; " + more + " more since it was named last"));
        }
        return ++window.count;
    }

    /** Returns how many were refused, by reason. */
    synchronized Map<String, Long> byReason() {
        return Map.copyOf(byReason);
    }
}
