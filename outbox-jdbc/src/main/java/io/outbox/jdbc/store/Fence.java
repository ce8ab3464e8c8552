package io.outbox.jdbc.store;

import java.util.List;

/**
 * The condition that a holder's lock is still in the row.
 *
 * @param holder who must have locked the event, or {@code null} if locks do not matter
 */
record Fence(String holder) {

    Sql fill(Sql sql) {
        return sql.with("fence", holder == null ? "" : " AND locked_by = ?");
    }

    List<String> params() {
        return holder == null ? List.of() : List.of(holder);
    }
}
