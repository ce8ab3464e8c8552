package io.outbox.admin;

import io.outbox.internal.store.Fingerprint;
import io.outbox.model.FailureGroup;
import io.outbox.model.InspectedEvent;
import io.outbox.model.Tally;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.InspectionBackend.Found;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * DEAD events of an outbox that keeps no dead letters. Nothing in their rows says what kind of failure they had, so that some
 * are read to find that out.
 */
final class DeadInOutbox {

    /** The most events that are read for one answer. */
    static final int MOST_READ = 2_000;

    /** A search may look at many other events and find none; it goes on so often. */
    private static final int MOST_SEARCHES = 4;

    private final InspectionBackend inspection;

    DeadInOutbox(InspectionBackend inspection) {
        this.inspection = inspection;
    }

    /** What the events of a group have in common. */
    private record Kind(String eventType, String fingerprint) {

        static Kind of(InspectedEvent event) {
            return new Kind(event.event().eventType(), fingerprintOf(event));
        }

        /** @param events those of this kind, the last first */
        FailureGroup group(List<InspectedEvent> events, boolean exact) {
            InspectedEvent first = events.get(events.size() - 1);
            InspectedEvent last = events.get(0);
            return new FailureGroup(
                    eventType,
                    fingerprint,
                    events.size(),
                    exact,
                    first.event().createdAt(),
                    last.event().createdAt(),
                    last.lastError());
        }
    }

    /**
     * Returns groups of events that failed alike, the largest first, among the latest {@value #MOST_READ}. It is not known when
     * they failed, but when they were written.
     */
    List<FailureGroup> groups(int limit) {
        List<InspectedEvent> latest = inspection.latestDead(MOST_READ);
        boolean exact = latest.size() < MOST_READ;
        return latest.stream().collect(Collectors.groupingBy(Kind::of)).entrySet().stream()
                .map(group -> group.getKey().group(group.getValue(), exact))
                .sorted(Comparator.comparingLong(FailureGroup::count).reversed())
                .limit(limit)
                .toList();
    }

    /** Counts the events that match and, unless it is {@code null}, have this fingerprint. */
    Tally count(EventFilter filter, String fingerprint) {
        if (fingerprint == null) {
            return inspection.count(filter);
        }
        long count = 0;
        String after = null;
        int left = MOST_READ;
        for (int searches = 0; searches < MOST_SEARCHES && left > 0; searches++) {
            Found found = inspection.search(filter, after, left);
            count += alike(found.events(), fingerprint).size();
            left -= found.events().size();
            after = found.next();
            if (after == null) {
                return new Tally(count, true);
            }
        }
        return new Tally(count, false);
    }

    /** Returns some of the events that match and, unless it is {@code null}, have this fingerprint; and where to go on. */
    Found next(EventFilter filter, String fingerprint, String after, int limit) {
        Found found = inspection.search(filter, after, limit);
        return fingerprint == null ? found : new Found(alike(found.events(), fingerprint), found.next());
    }

    private static List<InspectedEvent> alike(List<InspectedEvent> events, String fingerprint) {
        return events.stream()
                .filter(event -> fingerprintOf(event).equals(fingerprint))
                .toList();
    }

    private static String fingerprintOf(InspectedEvent event) {
        return Fingerprint.of(event.lastError());
    }
}
