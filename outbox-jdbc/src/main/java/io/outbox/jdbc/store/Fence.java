package io.outbox.jdbc.store;

import java.util.List;

/**
 * Which lock must be in a row for it to be changed.
 *
 * @param holder who must have locked the event, or {@code null} for nobody in particular
 * @param isFree whether nobody may have locked it
 */
record Fence(String holder, boolean isFree) {

    /** Takes rows that nobody has locked. */
    static final Fence FREE = new Fence(null, true);

    /** Takes rows that the holder has locked, or any if there is none. */
    static Fence of(String holder) {
        return new Fence(holder, false);
    }

    Sql fill(Sql sql) {
        return sql.with("fence", isFree ? " AND locked_by IS NULL" : holder == null ? "" : " AND locked_by = ?");
    }

    List<String> params() {
        return holder == null ? List.of() : List.of(holder);
    }
}
