package io.outbox.admin;

import io.outbox.dead.DeadEventOperations;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The events that an operator means by a filter, in batches: dead ones that are MOVED, or those that wait. */
abstract sealed class Matches {

    private static final Set<String> FIELDS =
            Set.of("eventType", "fingerprint", "aggregateType", "aggregateId", "tenantId", "from", "to", "error");

    final EventFilter filter;

    private Matches(EventFilter filter) {
        this.filter = filter;
    }

    /** Where matches are looked for. */
    record Sources(DeadEventOperations dead, InspectionBackend inspection) {

        /** Reads the filter of an action; a field that is not known, or has no value, is refused. */
        Matches of(Action action, Object json) {
            EventFilter filter = filter(json);
            return action.kind() == Action.Kind.DEAD ? new Dead(filter, dead) : new Waiting(filter, inspection);
        }
    }

    private static EventFilter filter(Object json) {
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
        return new EventFilter(
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
    }

    boolean isByError() {
        return filter.failure().text() != null;
    }

    /** Some of the matches, and where to go on. */
    record Batch(List<String> ids, String next) {}

    /** Returns the next matches; perhaps none, and yet more to follow. */
    abstract Batch next(String after, int most);

    /** Counts the matches, as far as that does not take long. */
    abstract Tally count();

    private static final class Dead extends Matches {

        private final DeadEventOperations events;
        private final DeadLetterFilter moved;

        Dead(EventFilter filter, DeadEventOperations events) {
            super(filter);
            this.events = events;
            this.moved = new DeadLetterFilter(DlqStatus.MOVED, filter);
        }

        @Override
        Batch next(String after, int most) {
            DeadLetterQuery query = DeadLetterQuery.matching(moved, most);
            Page<DeadLetter> page = events.query(after == null ? query : query.after(events.decode(after)));
            return new Batch(
                    page.items().stream().map(DeadLetter::eventId).toList(),
                    page.next() == null ? null : events.encode(page.next()));
        }

        @Override
        Tally count() {
            return events.count(moved);
        }
    }

    /** Goes down the ids, so events that are written meanwhile are not among the matches. */
    private static final class Waiting extends Matches {

        private final InspectionBackend inspection;
        private final EventFilter open;

        Waiting(EventFilter filter, InspectionBackend inspection) {
            super(filter);
            this.inspection = inspection;
            this.open = filter.in(Set.of(EventStatus.NEW, EventStatus.RETRY));
        }

        @Override
        Batch next(String after, int most) {
            InspectionBackend.Found found = inspection.search(open, after, most);
            return new Batch(
                    found.events().stream()
                            .map(InspectedEvent::event)
                            .map(event -> event.eventId())
                            .toList(),
                    found.next());
        }

        @Override
        Tally count() {
            return inspection.count(open);
        }
    }
}
