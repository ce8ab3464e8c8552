package io.outbox.jdbc;

import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** An engine on a table that we may change: it creates the index for lanes when there are any. */
final class IndexingBackend extends ForwardingBackend {

    private static final System.Logger LOG = System.getLogger(IndexingBackend.class.getName());

    private final Connections connections;
    private final LaneIndex index;

    /** @param store the store of the table */
    IndexingBackend(OutboxBackend backend, ConnectionProvider connections, AbstractJdbcOutboxStore store) {
        super(backend, backend, backend);
        this.connections = new Connections(connections);
        this.index = LaneIndex.of(store.getClass(), store.schemaScript(), store.tableName(), store.isSchemaCatalog());
    }

    /** Creates the index if it can; what is missing then is for the store to say. */
    @Override
    public void prepareReadsByType() {
        connections.with(this::createIndex);
        super.prepareReadsByType();
    }

    private boolean createIndex(Connection conn) {
        try {
            index.createIfMissing(conn);
            return true;
        } catch (SQLException | OutboxStoreException e) {
            LOG.log(Level.DEBUG, "The index by event type cannot be created", e);
            return false;
        }
    }
}
