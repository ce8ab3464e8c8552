package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.model.StoreFigure;
import io.outbox.spi.InspectionBackend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * What the database of an outbox tells about itself, asked at most once a minute however often health is. Thread-safe.
 */
final class DatabaseDetails {

    private static final long GOOD_FOR_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Outbox outbox;
    private List<StoreFigure> figures;
    private long askedAtNanos;

    DatabaseDetails(Outbox outbox) {
        this.outbox = outbox;
    }

    /**
     * Adds {@code database}, if there is something to tell, and {@code databaseAdvice}, if there is something to do.
     */
    void describe(Map<String, Object> details) {
        Map<String, Object> values = new LinkedHashMap<>();
        figures().forEach(figure -> values.put(figure.kind().meterName(), figure.value()));
        List<String> advice = figures().stream()
                .map(StoreFigure::advice)
                .filter(Objects::nonNull)
                .toList();
        if (!values.isEmpty()) {
            details.put("database", values);
        }
        if (!advice.isEmpty()) {
            details.put("databaseAdvice", advice);
        }
    }

    private synchronized List<StoreFigure> figures() {
        if (figures == null || System.nanoTime() - askedAtNanos > GOOD_FOR_NANOS) {
            figures = outbox.inspection().map(InspectionBackend::figures).orElse(List.of());
            askedAtNanos = System.nanoTime();
        }
        return figures;
    }
}
