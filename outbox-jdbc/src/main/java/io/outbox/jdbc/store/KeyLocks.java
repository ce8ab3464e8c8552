package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.SchemaScript;
import java.sql.Connection;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Makes writers of one key wait for each other until their transactions end, in databases whose locks by name do not
 * end with a transaction. The hash of a key leads to one of {@value #SLOTS} rows, which are locked and never change:
 * nothing is written, and no row is left behind by a key. Keys that share a row wait for each other, too.
 */
final class KeyLocks {

    static final String SLOT = "slot";

    static final int SLOTS = 1000;
    private static final String LOCK = "SELECT slot FROM {locks} WHERE slot = ? FOR UPDATE";

    private final AbstractJdbcOutboxStore store;

    KeyLocks(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    String tableName() {
        return store.tableName() + SchemaScript.LOCKS;
    }

    /**
     * Locks the rows one after the other, in an order that is the same for all writers, so that none waits in a circle.
     */
    void lock(Connection conn, Collection<String> keys) {
        Set<Integer> slots = new TreeSet<>();
        keys.forEach(key -> slots.add(Math.floorMod(key.hashCode(), SLOTS)));
        Sql lock = store.sql(LOCK).with("locks", tableName());
        for (int slot : slots) {
            if (lock.first(conn, row -> row.getInt(SLOT), slot).isEmpty()) {
                throw new OutboxStoreException("The table " + tableName() + " has no row " + slot
                        + ", so writers of a key cannot wait for each"
                        + " other: run schema/" + store.schemaScript()
                        + "-keyed.sql of the outbox-jdbc jar again");
            }
        }
    }
}
