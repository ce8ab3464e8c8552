package io.outbox.spring.boot.internal.actuator;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.model.PendingEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tells whether events are delivered: down if an outbox that should deliver does not, or if its oldest event that is due
 * has waited for too long.
 */
public final class OutboxHealthCheck {

    private final Map<String, Outbox> outboxes;
    private final Duration maxLag;

    public OutboxHealthCheck(Map<String, Outbox> outboxes, Duration maxLag) {
        this.outboxes = new TreeMap<>(outboxes);
        this.maxLag = maxLag;
    }

    public record Result(boolean up, Map<String, Object> details) {}

    public Result check() {
        Map<String, Object> details = new LinkedHashMap<>();
        boolean up = true;
        for (Map.Entry<String, Outbox> outbox : outboxes.entrySet()) {
            OutboxStatus status = outbox.getValue().status();
            Duration lag = lag(status, Instant.now());
            details.put(outbox.getKey(), describe(status, lag));
            up &= isUp(status.state(), lag);
        }
        return new Result(up, details);
    }

    private boolean isUp(State state, Duration lag) {
        return state == State.WRITER_ONLY || (state == State.RUNNING && lag.compareTo(maxLag) <= 0);
    }

    private Map<String, Object> describe(OutboxStatus status, Duration lag) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", status.state().name());
        details.put(
                "pending",
                status.pending().stream().mapToLong(PendingEvents::count).sum());
        details.put("oldestLagMs", lag.toMillis());
        details.put("maxLagMs", maxLag.toMillis());
        details.put("dead", status.dead());
        if (!status.unavailableTypes().isEmpty()) {
            details.put("unavailable", status.unavailableTypes());
        }
        return details;
    }

    /** Returns how long the oldest event that is due has waited. */
    static Duration lag(OutboxStatus status, Instant now) {
        return status.pending().stream()
                .map(PendingEvents::oldestDueAt)
                .min(Comparator.naturalOrder())
                .map(oldest -> Duration.between(oldest, now))
                .filter(lag -> !lag.isNegative())
                .orElse(Duration.ZERO);
    }
}
