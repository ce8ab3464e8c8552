package io.outbox.spi;

import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * What became of events that were inserted in a transaction of the application.
 *
 * @param locked the ids of the events that are locked by their owner
 * @param revocable whether only a look at the rows can tell, before the commit, that the database has undone the insert: after
 *     a deadlock that rolled back the whole transaction, or by a savepoint
 */
public record Insertion(Set<String> locked, boolean revocable) {

    public Insertion {
        Objects.requireNonNull(locked, "locked");
    }

    /** Inserts the events with the methods of the store, for which only a look can show that the insert was undone. */
    public static Insertion revocable(OwnershipStore store, Connection conn, List<NewEvent> events) {
        if (events.stream().anyMatch(event -> event.ownerId() != null)) {
            return new Insertion(store.insert(conn, events), true);
        }
        if (events.size() == 1) {
            store.insertNew(conn, events.get(0).event());
        } else {
            store.insertBatch(conn, events.stream().map(NewEvent::event).toList());
        }
        return new Insertion(Set.of(), true);
    }
}
