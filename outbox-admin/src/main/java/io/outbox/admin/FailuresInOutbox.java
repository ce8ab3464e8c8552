package io.outbox.admin;

import io.outbox.model.FailureGroup;
import io.outbox.model.Fingerprint;
import io.outbox.model.InspectedEvent;
import io.outbox.model.Tally;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.InspectionBackend.Found;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Kinds of failure among the events of the outbox, where nothing in a row says which it had, as it does of a dead letter: events
 * are read to find that out.
 */
final class FailuresInOutbox {

    /** The most events that are read for one answer. */
    static final int MOST_READ = 1_000;

    /** A search may look at many other events and find none; it goes on so often. */
    private static final int MOST_SEARCHES = 4;

    private final InspectionBackend inspection;

    FailuresInOutbox(InspectionBackend inspection) {
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
     * Returns groups of DEAD events that failed alike, the largest first, among the latest {@value #MOST_READ}. It is not known
     * when they failed, but when they were written.
     */
    List<FailureGroup> groups(int limit) {
        List<InspectedEvent> latest = inspection.latestDead(MOST_READ);
        boolean exact = latest.size() < MOST_READ;
        Map<Kind, List<InspectedEvent>> groups =
                latest.stream().collect(Collectors.groupingBy(Kind::of, LinkedHashMap::new, Collectors.toList()));
        return groups.entrySet().stream()
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

    /** Returns up to {@code limit} events that match and, unless it is {@code null}, have this fingerprint, as a search does. */
    Found search(EventFilter filter, String fingerprint, String after, int limit) {
        if (fingerprint == null) {
            return inspection.search(filter, after, limit);
        }
        Found found = inspection.search(filter, after, MOST_READ);
        List<InspectedEvent> alike = alike(found.events(), fingerprint);
        if (alike.size() <= limit) {
            return new Found(alike, found.next());
        }
        return new Found(alike.subList(0, limit), alike.get(limit - 1).event().eventId());
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
