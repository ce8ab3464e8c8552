package io.outbox.jdbc.store;

import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Where events stand, looked up by their ids, without payload and headers. */
final class EventStates {

    private static final String FIND = "SELECT {narrow} FROM {by_id} WHERE event_id {among}";

    private static final String FIND_LETTERS = "SELECT {columns_of_letters} FROM {letters} WHERE event_id {among}";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    EventStates(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    List<InspectedEvent> of(Collection<String> eventIds) {
        return store.sql(FIND)
                .with("narrow", JdbcInspection.NARROW)
                .queryAmong(conn, IdList.chunks(Set.copyOf(eventIds)), JdbcInspection::mapNarrow);
    }

    /**
     * As {@link #of}, where the dead are in a table of letters. An event that moves between the tables meanwhile is
     * found.
     */
    List<InspectedEvent> of(Collection<String> eventIds, String letters) {
        List<InspectedEvent> found = new ArrayList<>(of(eventIds));
        Set<String> missing = without(found, eventIds);
        if (!missing.isEmpty()) {
            found.addAll(letters(missing, letters));
            missing = without(found, missing);
        }
        if (!missing.isEmpty()) {
            found.addAll(of(missing));
        }
        return found;
    }

    private static Set<String> without(List<InspectedEvent> found, Collection<String> eventIds) {
        Set<String> missing = new LinkedHashSet<>(eventIds);
        found.forEach(event -> missing.remove(event.event().eventId()));
        return missing;
    }

    private List<InspectedEvent> letters(Collection<String> eventIds, String letters) {
        return store.sql(FIND_LETTERS)
                .with("columns_of_letters", Rows.NARROW_COLUMNS + ", last_error")
                .with("letters", letters)
                .queryAmong(
                        conn,
                        IdList.chunks(eventIds),
                        row -> new InspectedEvent(
                                Rows.narrowEvent(row), EventStatus.DEAD, null, row.getString("last_error"), null));
    }
}
