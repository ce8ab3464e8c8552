package io.outbox.jdbc.store;

import io.outbox.model.EventStatus;
import io.outbox.spi.EventFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What rows have to be, as the condition of a statement. Values are parameters; none is part of the text. The gap
 * <code>{failure}</code> is for {@link AbstractJdbcOutboxStore#failureSql()}.
 */
final class Conditions {

    private final List<String> conditions = new ArrayList<>();
    private final List<Object> params = new ArrayList<>();

    static Conditions of(EventFilter filter) {
        return states(filter.states())
                .and("event_type = ?", filter.scope().eventType())
                .and("aggregate_type = ?", filter.scope().aggregateType())
                .and("aggregate_id = ?", filter.scope().aggregateId())
                .and("tenant_id = ?", filter.scope().tenantId())
                .and("created_at >= ?", filter.from())
                .and("created_at < ?", filter.to())
                .andErrorHas(filter.failure().text())
                .and("LOWER(payload) LIKE ? ESCAPE '!'", like(filter.payload()));
    }

    /** Returns the condition for events in some states; none is any. */
    static Conditions states(Collection<EventStatus> states) {
        Conditions conditions = new Conditions();
        return states.isEmpty()
                ? conditions
                : conditions.and(states.stream()
                        .map(EventStatus::code)
                        .sorted()
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", "status IN (", ")")));
    }

    /** Adds a condition without a value. */
    Conditions and(String condition) {
        conditions.add(condition);
        return this;
    }

    /** Adds a condition, unless its value is {@code null}. */
    Conditions and(String condition, Object value) {
        return value == null ? this : and(condition, List.of(value));
    }

    Conditions and(String condition, List<?> values) {
        params.addAll(values);
        return and(condition);
    }

    Conditions andErrorHas(String text) {
        return and("LOWER({failure}) LIKE ? ESCAPE '!'", like(text));
    }

    private static String like(String text) {
        return text == null ? null : "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    boolean isEmpty() {
        return conditions.isEmpty();
    }

    /** Returns the condition, which is true if there is nothing to ask for. */
    String sql() {
        return conditions.isEmpty() ? "1 = 1" : String.join(" AND ", conditions);
    }

    List<Object> params() {
        return params;
    }
}
