package io.outbox.spi;

import io.outbox.upkeep.HintCounts;
import io.outbox.upkeep.HintListeners;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Hints between outboxes of one process, such as one that only writes and one that delivers; in tests, too. A listener
 * is called by the thread that signals. Thread-safe.
 */
public final class LocalWakeUp implements WakeUp {

    private final HintListeners listeners = new HintListeners();
    private final HintCounts counts = new HintCounts();

    @Override
    public void signal(Set<String> eventTypes) {
        counts.sent();
        if (!listeners.isEmpty()) {
            counts.heard();
        }
        listeners.call(eventTypes);
    }

    @Override
    public void reportTo(MetricsExporter metrics) {
        counts.reportTo(metrics);
    }

    @Override
    public Listening listen(Consumer<Set<String>> listener) {
        listeners.add(listener);
        listeners.tell(listener, Set.of());
        return () -> listeners.remove(listener);
    }

    @Override
    public boolean isConnected() {
        return true;
    }
}
