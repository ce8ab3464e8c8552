package io.outbox.jdbc;

import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.ForwardingOwnershipStore;
import io.outbox.spi.Insertion;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OwnershipStore;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A store on a table that we may change: it creates the index for lanes when there are any. */
final class IndexingStore extends ForwardingOwnershipStore {

    private static final System.Logger LOG = System.getLogger(IndexingStore.class.getName());

    private final LaneIndex index;

    /** @param store the store of the table, around which the delegate may be */
    IndexingStore(OwnershipStore delegate, AbstractJdbcOutboxStore store) {
        super(delegate);
        this.index = new LaneIndex(
                new TableCatalog(store.tableName(), store.isSchemaCatalog()),
                new SchemaScript(store.getClass(), store.schemaScript(), store.tableName()));
    }

    @Override
    public Insertion write(Connection conn, List<NewEvent> events) {
        return delegate().write(conn, events);
    }

    /** Creates the index if it can; what is missing then is for the store to say. */
    @Override
    public void prepareReadsByType(Connection conn) {
        try {
            index.createIfMissing(conn);
        } catch (SQLException | OutboxStoreException e) {
            LOG.log(Level.DEBUG, "The index by event type cannot be created", e);
        }
        super.prepareReadsByType(conn);
    }
}
