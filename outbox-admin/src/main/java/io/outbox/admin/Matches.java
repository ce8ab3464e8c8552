package io.outbox.admin;

import io.outbox.dead.DeadLetterQueue;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The dead events that an operator means by a filter, in batches: letters that are MOVED, or of an outbox without dead
 * letters, DEAD events.
 */
final class Matches {

    /** The number at which counting stops where each match has to be looked at. */
    static final int MOST_COUNTED = 10_000;

    private static final int BATCH = 100;
    private static final Set<String> FIELDS =
            Set.of("eventType", "fingerprint", "aggregateType", "aggregateId", "tenantId", "from", "to", "error");

    private final DeadEvents dead;
    private final InspectionBackend inspection;
    private final EventFilter filter;
    private final String fingerprint;
    private final String json;

    private Matches(
            DeadEvents dead, InspectionBackend inspection, EventFilter filter, String fingerprint, String json) {
        this.dead = dead;
        this.inspection = inspection;
        this.filter = filter;
        this.fingerprint = fingerprint;
        this.json = json;
    }

    /** Reads the filter; a field that there is none of is refused, so that none is meant and not heeded. */
    static Matches of(Object json, DeadEvents dead, InspectionBackend inspection) {
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
        String fingerprint = Exchange.filterText(fields, "fingerprint");
        if (fingerprint != null && !dead.hasQueue()) {
            throw Problem.invalid("filter.fingerprint", "needs dead letters, which this outbox does not keep");
        }
        EventFilter filter = new EventFilter(
                Set.of(EventStatus.DEAD),
                new EventFilter.Scope(
                        Exchange.filterText(fields, "eventType"),
                        Exchange.filterText(fields, "aggregateType"),
                        Exchange.filterText(fields, "aggregateId"),
                        Exchange.filterText(fields, "tenantId")),
                Exchange.filterTime(fields, "from"),
                Exchange.filterTime(fields, "to"),
                Exchange.filterText(fields, "error"));
        return new Matches(dead, inspection, filter, fingerprint, Json.text(json));
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
            InspectionBackend.Found found = inspection.search(filter, after, BATCH);
            return new Batch(
                    found.events().stream()
                            .map(event -> event.event().eventId())
                            .toList(),
                    found.next());
        }
        DeadLetterQueue queue = dead.queue();
        DeadLetterQuery query =
                new DeadLetterQuery(DlqStatus.MOVED, filter.scope().eventType(), fingerprint, BATCH, null);
        Page<DeadLetter> page = queue.query(after == null ? query : query.after(queue.decode(after)));
        return new Batch(
                page.items().stream()
                        .filter(this::matches)
                        .map(DeadLetter::eventId)
                        .toList(),
                page.next() == null ? null : queue.encode(page.next()));
    }

    private boolean matches(DeadLetter letter) {
        OutboxEvent event = letter.event();
        EventFilter.Scope scope = filter.scope();
        return isWanted(scope.aggregateType(), event.aggregateType())
                && isWanted(scope.aggregateId(), event.aggregateId())
                && isWanted(scope.tenantId(), event.tenantId())
                && isCreatedInTime(event.createdAt())
                && hasError(letter.failure().error());
    }

    private static boolean isWanted(String wanted, String value) {
        return wanted == null || wanted.equals(value);
    }

    private boolean isCreatedInTime(Instant createdAt) {
        return (filter.from() == null || !createdAt.isBefore(filter.from()))
                && (filter.to() == null || createdAt.isBefore(filter.to()));
    }

    private boolean hasError(String error) {
        return filter.errorText() == null
                || (error != null
                        && error.toLowerCase(Locale.ROOT)
                                .contains(filter.errorText().toLowerCase(Locale.ROOT)));
    }

    /** How many matches there are; not exact if counting stopped. */
    record Number(long matches, boolean exact) {}

    Number count() {
        if (dead.hasQueue() && isOfTypeOnly()) {
            return new Number(dead.queue().count(DlqStatus.MOVED, filter.scope().eventType()), true);
        }
        long matches = 0;
        String after = null;
        do {
            Batch batch = next(after);
            matches += batch.ids.size();
            after = batch.next;
        } while (after != null && matches < MOST_COUNTED);
        return new Number(matches, after == null);
    }

    private boolean isOfTypeOnly() {
        EventFilter.Scope scope = filter.scope();
        return fingerprint == null
                && filter.from() == null
                && filter.to() == null
                && filter.errorText() == null
                && scope.aggregateType() == null
                && scope.aggregateId() == null
                && scope.tenantId() == null;
    }
}
