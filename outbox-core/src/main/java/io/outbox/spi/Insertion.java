package io.outbox.spi;

import java.util.Objects;
import java.util.Set;

/**
 * What became of events that were inserted in a transaction of the application.
 *
 * @param locked the ids of the events that are locked by their owner
 * @param revocable whether only a look at the rows can tell, before the commit, that the database has undone the
 * insert: after
 *     a deadlock that rolled back the whole transaction, or by a savepoint
 */
public record Insertion(Set<String> locked, boolean revocable) {

    public Insertion {
        Objects.requireNonNull(locked, "locked");
    }
}
