package io.outbox.jdbc.store;

import io.outbox.model.EventStatus;
import io.outbox.spi.EventFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** An {@link EventFilter} as a condition of a statement. Its values are parameters; none is part of the text. */
final class Conditions {

    private final List<String> conditions = new ArrayList<>();
    private final List<Object> params = new ArrayList<>();

    Conditions(EventFilter filter) {
        if (!filter.states().isEmpty()) {
            conditions.add(filter.states().stream()
                    .map(EventStatus::code)
                    .sorted()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ", "status IN (", ")")));
        }
        add("event_type = ?", filter.scope().eventType());
        add("aggregate_type = ?", filter.scope().aggregateType());
        add("aggregate_id = ?", filter.scope().aggregateId());
        add("tenant_id = ?", filter.scope().tenantId());
        add("created_at >= ?", filter.from());
        add("created_at < ?", filter.to());
        add("LOWER(last_error) LIKE ? ESCAPE '!'", like(filter.errorText()));
    }

    private void add(String condition, Object value) {
        if (value != null) {
            conditions.add(condition);
            params.add(value);
        }
    }

    private static String like(String text) {
        return text == null ? null : "%" + text.toLowerCase(Locale.ROOT).replaceAll("[!%_]", "!$0") + "%";
    }

    /** Returns the condition, which is true if there is nothing to ask for. */
    String sql() {
        return conditions.isEmpty() ? "1 = 1" : String.join(" AND ", conditions);
    }

    List<Object> params() {
        return params;
    }
}
