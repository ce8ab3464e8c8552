package io.outbox.internal.delivery;

import io.outbox.InvalidTargetException;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The targets that events of a lane name and that cannot be used. They concern no other events, so nothing is held up
 * for them; they are only shown.
 *
 * <p>A target is shown until one of its events is delivered after all. Another node may be the one that does, or the
 * events may be dead by then: so it is also forgotten some time after the last of its events was due again.
 * Thread-safe.
 */
final class InvalidTargets {

    /** For how long a target is shown at least, unless an event gets through. */
    static final Duration SHOWN = Duration.ofMinutes(1);

    /** How long after its retry an event has failed again, if it has. */
    private static final Duration RETRIED = Duration.ofSeconds(15);

    /** Names may be computed, so that there is no end of them. */
    private static final int MOST_TARGETS = 100;

    private static final int MOST_EVENTS = 100;
    private static final int MOST_NAMED = 3;
    private static final Comparator<InvalidTarget> LATEST_FIRST =
            Comparator.comparing((InvalidTarget target) -> target.failedAt).reversed();

    private final EngineClock clock;
    private final Map<Key, InvalidTarget> targets = new LinkedHashMap<>();
    /** So that deliveries, of which there are many, need no lock while nothing is wrong. */
    private volatile boolean isEmpty = true;

    private record Key(String eventType, String target) {}

    InvalidTargets(EngineClock clock) {
        this.clock = clock;
    }

    /** Notes that an event failed for its target. */
    synchronized void failed(String eventType, Outcome outcome, InvalidTargetException error) {
        forgetOld();
        Key key = new Key(eventType, error.target());
        InvalidTarget known = targets.get(key);
        if (known == null && targets.size() < MOST_TARGETS) {
            known = new InvalidTarget(key, clock.now());
            targets.put(key, known);
            isEmpty = false;
        }
        if (known != null) {
            known.failed(outcome, Reasons.message(error), clock.now());
        }
    }

    /** Notes that an event was delivered, and thus that its target can be used. */
    void delivered(String eventId) {
        if (isEmpty) {
            return;
        }
        synchronized (this) {
            targets.values().removeIf(target -> target.eventIds.contains(eventId));
            isEmpty = targets.isEmpty();
        }
    }

    /** Returns what cannot be used, one entry per event type. */
    synchronized List<UnavailableTarget> unavailable() {
        forgetOld();
        Map<String, List<InvalidTarget>> byType = targets.values().stream()
                .collect(Collectors.groupingBy(target -> target.key.eventType, TreeMap::new, Collectors.toList()));
        List<UnavailableTarget> shown = new ArrayList<>(byType.size());
        byType.forEach((eventType, ofType) -> shown.add(shown(eventType, ofType)));
        return shown;
    }

    private static UnavailableTarget shown(String eventType, List<InvalidTarget> targets) {
        List<InvalidTarget> sorted = targets.stream().sorted(LATEST_FIRST).toList();
        InvalidTarget latest = sorted.get(0);
        StringBuilder cause = new StringBuilder("Only events for " + latest.key.target + ": " + latest.cause);
        if (sorted.size() > 1) {
            List<InvalidTarget> others = sorted.subList(1, sorted.size());
            cause.append("; and for ")
                    .append(others.stream()
                            .limit(MOST_NAMED)
                            .map(other -> other.key.target)
                            .collect(Collectors.joining(", ")));
            if (others.size() > MOST_NAMED) {
                cause.append(" and ").append(others.size() - MOST_NAMED).append(" more");
            }
        }
        Instant since = sorted.stream()
                .map(target -> target.since)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        return new UnavailableTarget(eventType, since, cause.toString());
    }

    private void forgetOld() {
        Instant now = clock.now();
        targets.values().removeIf(target -> target.shownUntil.isBefore(now));
        isEmpty = targets.isEmpty();
    }

    private static final class InvalidTarget {

        private final Key key;
        private final Instant since;
        private final Set<String> eventIds = new HashSet<>();
        private Instant failedAt;
        private Instant shownUntil;
        private String cause;

        private InvalidTarget(Key key, Instant since) {
            this.key = key;
            this.since = since;
            this.shownUntil = since.plus(SHOWN);
        }

        private void failed(Outcome outcome, String reason, Instant now) {
            cause = reason;
            failedAt = now;
            if (eventIds.size() < MOST_EVENTS) {
                eventIds.add(outcome.eventId());
            }
            showUntil(now.plus(SHOWN));
            if (outcome instanceof Outcome.Failed failed) {
                showUntil(failed.retryAt().plus(RETRIED));
            }
        }

        private void showUntil(Instant time) {
            shownUntil = time.isAfter(shownUntil) ? time : shownUntil;
        }
    }
}
