package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.model.PendingEvents;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.internal.failures.Reason;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells whether events are delivered, and if not, why. Down if an outbox that should deliver does not, if its oldest
 * event that is due has waited for too long, or if its store cannot be asked. A pause is an operator's choice, and an
 * unreachable target or a blocked key is nothing that a restart would mend, so none of them is down by itself.
 */
final class OutboxHealthCheck {

    private final Map<String, Outbox> outboxes;
    private final Duration maxLag;
    private final boolean startsByItself;
    private final WakeUp wakeUp;
    private final Map<Outbox, DatabaseDetails> database = new ConcurrentHashMap<>();
    private final Map<Outbox, BlockedDetails> blockedKeys = new ConcurrentHashMap<>();

    /** @param wakeUp the hints of the application's own outbox; {@code null} without */
    OutboxHealthCheck(Map<String, Outbox> outboxes, OutboxSettings settings, WakeUp wakeUp) {
        this.wakeUp = wakeUp;
        this.outboxes = new TreeMap<>(outboxes);
        this.maxLag = settings.monitoring().maxLag();
        this.startsByItself = settings.delivery().autoStartup();
    }

    public record Result(boolean up, Map<String, Object> details) {}

    public Result check() {
        Map<String, Object> details = new LinkedHashMap<>();
        boolean up = true;
        for (Map.Entry<String, Outbox> outbox : outboxes.entrySet()) {
            Result result = check(outbox.getValue());
            details.put(outbox.getKey(), result.details());
            up &= result.up();
        }
        if (wakeUp != null
                && wakeUp != WakeUp.NONE
                && outboxes.values().stream().anyMatch(outbox -> outbox.state() == State.RUNNING)) {
            details.put("hints", wakeUp.isConnected() ? "arrive" : "do not arrive; events are found by polling");
        }
        return new Result(up, details);
    }

    private Result check(Outbox outbox) {
        Map<String, Object> details = new LinkedHashMap<>();
        OutboxStatus status;
        Map<String, Object> database = new LinkedHashMap<>();
        boolean isBlocked;
        try {
            status = outbox.status();
            isBlocked = blockedKeys.computeIfAbsent(outbox, BlockedDetails::new).describe(database);
            this.database.computeIfAbsent(outbox, DatabaseDetails::new).describe(database);
        } catch (RuntimeException e) {
            details.put("state", outbox.state().name());
            details.put("reasons", List.of("the store cannot be asked: " + Reason.of(e)));
            return new Result(false, details);
        }
        Instant now = Instant.now();
        List<String> reasons = new ArrayList<>(reasons(status, now));
        if (isBlocked && !reasons.isEmpty()) {
            reasons.add("keys are blocked by events that have failed for good: see blockedKeys");
        }
        describe(status, now, details);
        details.putAll(database);
        if (!reasons.isEmpty()) {
            details.put("reasons", reasons);
        }
        return new Result(reasons.isEmpty(), details);
    }

    private List<String> reasons(OutboxStatus status, Instant now) {
        return switch (status.state()) {
            case WRITER_ONLY, PAUSED -> List.of();
            case CLOSED -> List.of("delivery is closed");
            case NOT_STARTED -> startsByItself ? List.of("delivery has not started") : delays(status.pending(), now);
            case RUNNING -> delays(status.pending(), now);
        };
    }

    private List<String> delays(List<PendingEvents> pending, Instant now) {
        List<String> delays = new ArrayList<>();
        for (PendingEvents events : pending) {
            Duration lag = Lag.of(events, now);
            if (lag.compareTo(maxLag) > 0) {
                delays.add("the oldest due event of type " + events.eventType() + " has waited " + inWords(lag)
                        + ", more than outbox.health.max-lag=" + inWords(maxLag));
            }
        }
        return delays;
    }

    private void describe(OutboxStatus status, Instant now, Map<String, Object> details) {
        details.put("state", status.state().name());
        if (status.state() == State.PAUSED) {
            details.put("paused", "events are stored and wait until delivery is resumed");
        }
        details.put(
                "pending",
                status.pending().stream().mapToLong(PendingEvents::count).sum());
        details.put("oldestLagMs", Lag.of(status, now).toMillis());
        details.put("maxLagMs", maxLag.toMillis());
        details.put("dead", status.dead());
        if (!status.unavailable().isEmpty()) {
            details.put("unavailable", status.unavailable());
        }
    }

    /** Returns 5m or 1h2m3s; below a second, 0.05s. */
    private static String inWords(Duration duration) {
        Duration shown = duration.toSeconds() > 0 ? duration.truncatedTo(ChronoUnit.SECONDS) : duration;
        return shown.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
    }
}
