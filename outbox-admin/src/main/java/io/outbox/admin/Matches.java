package io.outbox.admin;

import io.outbox.dead.DeadLetterQueue;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
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

/**
 * The dead events that an operator means by a filter, in batches: letters that are MOVED, or of an outbox without dead
 * letters, DEAD events.
 */
final class Matches {

    private static final int BATCH = 100;
    private static final Set<String> FIELDS =
            Set.of("eventType", "fingerprint", "aggregateType", "aggregateId", "tenantId", "from", "to", "error");

    private final DeadEvents dead;
    private final EventFilter filter;
    private final String fingerprint;
    private final String json;

    private Matches(DeadEvents dead, EventFilter filter, String fingerprint, String json) {
        this.dead = dead;
        this.filter = filter;
        this.fingerprint = fingerprint;
        this.json = json;
    }

    /** Reads the filter; a field that is not known, or has no value, is refused, so that none is meant and not heeded. */
    static Matches of(Object json, DeadEvents dead) {
        if (!(json instanceof Map<?, ?> map)) {
            throw Problem.invalid("filter", "must be an object; an empty one means all");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((name, value) -> fields.put((String) name, value));
        fields.keySet().stream()
                .filter(name -> !FIELDS.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Problem.invalid("filter." + name, "is not known");
                });
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
                Exchange.filterText(fields, "error"));
        return new Matches(dead, filter, Exchange.filterText(fields, "fingerprint"), Json.text(json));
    }

    /** Returns the filter as it was sent. */
    String json() {
        return json;
    }

    /** Some of the matches, and where to go on. */
    record Batch(List<String> ids, String next) {}

    /** Returns the next matches; perhaps none, and yet more to follow. */
    Batch next(String after) {
        if (!dead.hasQueue()) {
            InspectionBackend.Found found = dead.failures().search(deadEvents(), fingerprint, after, BATCH);
            return new Batch(
                    found.events().stream()
                            .map(event -> event.event().eventId())
                            .toList(),
                    found.next());
        }
        DeadLetterQueue queue = dead.queue();
        DeadLetterQuery query = DeadLetterQuery.matching(letters(), BATCH);
        Page<DeadLetter> page = queue.query(after == null ? query : query.after(queue.decode(after)));
        return new Batch(
                page.items().stream().map(DeadLetter::eventId).toList(),
                page.next() == null ? null : queue.encode(page.next()));
    }

    private DeadLetterFilter letters() {
        return new DeadLetterFilter(DlqStatus.MOVED, fingerprint, filter);
    }

    private EventFilter deadEvents() {
        return new EventFilter(
                Set.of(EventStatus.DEAD), filter.scope(), filter.from(), filter.to(), filter.errorText());
    }

    /** Counts the matches, as far as that does not take long. */
    Tally count() {
        return dead.hasQueue() ? dead.queue().count(letters()) : dead.failures().count(deadEvents(), fingerprint);
    }
}
