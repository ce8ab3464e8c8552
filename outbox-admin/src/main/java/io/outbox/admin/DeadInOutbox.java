package io.outbox.admin;

import io.outbox.internal.store.Fingerprint;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureGroup;
import io.outbox.model.InspectedEvent;
import io.outbox.model.Tally;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * DEAD events of an outbox that keeps no dead letters. Nothing in their rows says what kind of failure they had, so the latest
 * {@value #MOST_READ} are read to find that out.
 */
final class DeadInOutbox {

    /** The most events that are read for one answer. */
    static final int MOST_READ = 2_000;

    /** A search may look at many other events and find none; it goes on so often. */
    private static final int MOST_SEARCHES = 4;

    private static final EventFilter ALL =
            new EventFilter(Set.of(EventStatus.DEAD), EventFilter.Scope.ALL, null, null, null);

    private final InspectionBackend inspection;

    DeadInOutbox(InspectionBackend inspection) {
        this.inspection = inspection;
    }

    /** What the events of a group have in common. */
    private record Kind(String eventType, String fingerprint) {

        static Kind of(InspectedEvent event) {
            return new Kind(event.event().eventType(), Fingerprint.of(event.lastError()));
        }
    }

    /** The events of a kind that were read. */
    private static final class Group {

        private long count;
        private Instant earliest = Instant.MAX;
        private Instant latest = Instant.MIN;
        private String error;

        void add(InspectedEvent event) {
            Instant at = event.event().createdAt();
            count++;
            earliest = at.isBefore(earliest) ? at : earliest;
            latest = at.isAfter(latest) ? at : latest;
            error = error == null ? event.lastError() : error;
        }

        FailureGroup as(Kind kind, boolean exact) {
            return new FailureGroup(kind.eventType, kind.fingerprint, count, exact, earliest, latest, error);
        }
    }

    /** Returns groups of events that failed alike, the largest first; when they failed is not known, but when they were written. */
    List<FailureGroup> groups(int limit) {
        Map<Kind, Group> groups = new LinkedHashMap<>();
        boolean exact = read(
                ALL,
                event -> groups.computeIfAbsent(Kind.of(event), kind -> new Group())
                        .add(event));
        return groups.entrySet().stream()
                .map(group -> group.getValue().as(group.getKey(), exact))
                .sorted(Comparator.comparingLong(FailureGroup::count).reversed())
                .limit(limit)
                .toList();
    }

    /** Counts the events that match and, unless it is {@code null}, have this fingerprint. */
    Tally count(EventFilter filter, String fingerprint) {
        if (fingerprint == null) {
            return inspection.count(filter);
        }
        long[] count = {0};
        boolean exact = read(filter, event -> count[0] += isAlike(event, fingerprint) ? 1 : 0);
        return new Tally(count[0], exact);
    }

    /** Reads the latest events that match; returns whether there are no others. */
    private boolean read(EventFilter filter, Consumer<InspectedEvent> reader) {
        String after = null;
        int left = MOST_READ;
        for (int searches = 0; searches < MOST_SEARCHES && left > 0; searches++) {
            InspectionBackend.Found found = inspection.search(filter, after, left);
            found.events().forEach(reader);
            left -= found.events().size();
            after = found.next();
            if (after == null) {
                return true;
            }
        }
        return false;
    }

    /** Returns some of the events that match and, unless it is {@code null}, have this fingerprint; and where to go on. */
    InspectionBackend.Found next(EventFilter filter, String fingerprint, String after, int limit) {
        InspectionBackend.Found found = inspection.search(filter, after, limit);
        List<InspectedEvent> alike = found.events().stream()
                .filter(event -> fingerprint == null || isAlike(event, fingerprint))
                .toList();
        return new InspectionBackend.Found(alike, found.next());
    }

    private static boolean isAlike(InspectedEvent event, String fingerprint) {
        return Fingerprint.of(event.lastError()).equals(fingerprint);
    }
}
