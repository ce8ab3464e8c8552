package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.PendingEvents;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The rules of an engine in their plainest form: a map of events, searched from one end to the other. */
final class BackendModel {

    private final Map<String, Row> rows = new LinkedHashMap<>();

    /** What the model knows about an event. */
    static final class Row {

        final String eventId;
        final String eventType;
        final Instant createdAt;
        EventStatus status = EventStatus.NEW;
        int attempts;
        Instant availableAt;
        String lockedBy;
        Instant doneAt;
        String lastError;

        private Row(EventEnvelope event, String lockedBy) {
            this.eventId = event.eventId();
            this.eventType = event.eventType();
            this.createdAt = event.occurredAt();
            this.availableAt = event.isDelayed() ? event.availableAt() : event.occurredAt();
            this.lockedBy = lockedBy;
        }

        boolean isPending() {
            return !status.isTerminal();
        }

        boolean isDue(Instant now) {
            return isPending() && !availableAt.isAfter(now);
        }

        boolean isHeldBy(String ownerId) {
            return isPending() && ownerId.equals(lockedBy);
        }

        boolean takesOutcomesOf(String ownerId) {
            return isPending() && (ownerId == null || ownerId.equals(lockedBy));
        }

        /** Does what the outcome says. */
        void transit(Outcome outcome) {
            lockedBy = null;
            if (outcome instanceof Outcome.Done done) {
                status = EventStatus.DONE;
                doneAt = done.at();
            } else if (outcome instanceof Outcome.Deferred deferred) {
                status = EventStatus.NEW;
                availableAt = deferred.until();
            } else if (outcome instanceof Outcome.Dead dead) {
                status = EventStatus.DEAD;
                lastError = dead.error();
            } else if (outcome instanceof Outcome.Failed failed) {
                attempts++;
                status = attempts < failed.maxAttempts() ? EventStatus.RETRY : EventStatus.DEAD;
                availableAt = failed.retryAt();
                lastError = failed.error();
            }
        }

        /** Starts anew, from the time that the store has set. */
        void replay(Instant dueAt) {
            status = EventStatus.NEW;
            attempts = 0;
            availableAt = dueAt;
        }

        void assertShownBy(StoredEvent stored) {
            assertThat(stored.status()).as("status of " + eventId).isEqualTo(status);
            assertThat(stored.attempts()).as("attempts of " + eventId).isEqualTo(attempts);
            assertThat(stored.lockedBy()).as("owner of " + eventId).isEqualTo(lockedBy);
            assertThat(stored.doneAt()).as("end of " + eventId).isEqualTo(doneAt);
            if (isPending()) {
                assertThat(stored.availableAt()).as("due time of " + eventId).isEqualTo(availableAt);
            }
            if (status == EventStatus.RETRY || status == EventStatus.DEAD) {
                assertThat(stored.lastError()).as("error of " + eventId).isEqualTo(lastError);
            }
        }
    }

    void add(EventEnvelope event, String ownerId) {
        rows.put(event.eventId(), new Row(event, ownerId));
    }

    void remove(List<String> ids) {
        ids.forEach(rows::remove);
    }

    Optional<Row> find(String eventId) {
        return Optional.ofNullable(rows.get(eventId));
    }

    List<Row> rows(Predicate<Row> condition) {
        return rows.values().stream().filter(condition).toList();
    }

    List<String> ids(Predicate<Row> condition) {
        return rows(condition).stream().map(row -> row.eventId).toList();
    }

    /** Returns the ids of what is due, locked or not. */
    List<String> due(Instant now, EventTypes types) {
        return ids(row -> row.isDue(now) && types.contains(row.eventType));
    }

    Optional<Instant> oldestDueAt(Instant now) {
        return rows(row -> row.isDue(now)).stream().map(row -> row.availableAt).min(Instant::compareTo);
    }

    Optional<Instant> nextDueAt(Instant now) {
        return rows(row -> row.isPending() && !row.isDue(now)).stream()
                .map(row -> row.availableAt)
                .min(Instant::compareTo);
    }

    Map<String, Instant> firstOfEachType() {
        Map<String, Instant> first = new TreeMap<>();
        rows(Row::isPending).forEach(row -> first.merge(row.eventType, row.availableAt, BackendModel::earlier));
        return first;
    }

    List<PendingEvents> pending(Instant now) {
        Map<String, PendingEvents> byType = new TreeMap<>();
        for (Row row : rows(row -> row.isDue(now))) {
            byType.merge(
                    row.eventType,
                    new PendingEvents(row.eventType, 1, row.availableAt),
                    (a, b) ->
                            new PendingEvents(a.eventType(), a.count() + 1, earlier(a.oldestDueAt(), b.oldestDueAt())));
        }
        return new ArrayList<>(byType.values());
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    List<EventCount> counts() {
        Map<String, EventCount> byType = new TreeMap<>();
        for (Row row : rows(Row::isPending)) {
            boolean held = row.lockedBy != null;
            byType.merge(
                    row.eventType,
                    new EventCount(row.eventType, held ? 0 : 1, held ? 1 : 0),
                    (a, b) -> new EventCount(a.eventType(), a.pending() + b.pending(), a.inProcess() + b.inProcess()));
        }
        return new ArrayList<>(byType.values());
    }

    /** Returns the ids of what ended before the given time. */
    List<String> endedBefore(Instant before, Predicate<Row> condition) {
        return ids(row -> !row.isPending()
                && condition.test(row)
                && (row.doneAt != null ? row.doneAt : row.createdAt).isBefore(before));
    }
}
