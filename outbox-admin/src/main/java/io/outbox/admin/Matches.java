package io.outbox.admin;

import io.outbox.dead.DeadEventOperations;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.Page;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The dead events that an operator means by a filter, in batches: those that are MOVED. */
final class Matches {

    private static final int BATCH = 100;
    private static final Set<String> FIELDS =
            Set.of("eventType", "fingerprint", "aggregateType", "aggregateId", "tenantId", "from", "to", "error");

    private final DeadEventOperations events;
    private final DeadLetterFilter filter;

    private Matches(DeadEventOperations events, EventFilter filter) {
        this.events = events;
        this.filter = new DeadLetterFilter(DlqStatus.MOVED, filter);
    }

    /** Reads the filter; a field that is not known, or has no value, is refused, so that none is meant and not heeded. */
    static Matches of(Object json, DeadEventOperations events) {
        if (!(json instanceof Map<?, ?> map)) {
            throw Problem.invalid("filter", "must be an object; an empty one means all");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((name, value) -> fields.put((String) name, value));
        Set<String> unknown = new TreeSet<>(fields.keySet());
        unknown.removeAll(FIELDS);
        if (!unknown.isEmpty()) {
            throw Problem.unknown("filter.", unknown);
        }
        fields.forEach((name, value) -> {
            if (value == null) {
                throw Problem.invalid("filter." + name, "must have a value; leave it out if any will do");
            }
        });
        EventFilter filter = new EventFilter(
                Set.of(),
                new EventFilter.Scope(
                        Exchange.filterText(fields, "eventType"),
                        Exchange.filterText(fields, "aggregateType"),
                        Exchange.filterText(fields, "aggregateId"),
                        Exchange.filterText(fields, "tenantId")),
                Exchange.filterTime(fields, "from"),
                Exchange.filterTime(fields, "to"),
                new EventFilter.Failure(
                        Exchange.filterText(fields, "error"), Exchange.filterText(fields, "fingerprint")));
        return new Matches(events, filter);
    }

    boolean isByError() {
        return filter.events().failure().text() != null;
    }

    /** Some of the matches, and where to go on. */
    record Batch(List<String> ids, String next) {}

    /** Returns the next matches; perhaps none, and yet more to follow. */
    Batch next(String after) {
        DeadLetterQuery query = DeadLetterQuery.matching(filter, BATCH);
        Page<DeadLetter> page = events.query(after == null ? query : query.after(events.decode(after)));
        return new Batch(
                page.items().stream().map(DeadLetter::eventId).toList(),
                page.next() == null ? null : events.encode(page.next()));
    }

    /** Counts the matches, as far as that does not take long. */
    Tally count() {
        return events.count(filter);
    }
}
