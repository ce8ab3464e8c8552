package io.outbox.jdbc;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.store.KeyColumns;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** An engine on a table that we may change: it creates what lanes and order by key need once they are used. */
final class IndexingBackend extends ForwardingBackend {

    private static final System.Logger LOG = System.getLogger(IndexingBackend.class.getName());

    private final Connections connections;
    private final IndexCreation index;
    private final KeyColumns keyColumns;
    private final KeyColumns letterColumns;

    /**
     * @param store the store of the table
     * @param deadLetters that of its dead letters, or {@code null}
     */
    IndexingBackend(
            OutboxBackend backend,
            ConnectionProvider connections,
            AbstractJdbcOutboxStore store,
            DeadLetterStore deadLetters) {
        super(backend, backend, backend);
        this.connections = new Connections(connections);
        this.index = new IndexCreation(this.connections, store, super::prepareReadsByType, System::nanoTime);
        this.keyColumns = store.keyColumns();
        this.letterColumns = deadLetters == null ? null : deadLetters.orderColumns();
    }

    /** Creates the index if it can; what is missing then is for the store to say. */
    @Override
    public void prepareReadsByType() {
        index.begin();
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        index.tryAgain();
        return super.lookByType(known, from);
    }

    /** Adds columns and indexes if it can; what is missing then is for the store to say. */
    @Override
    public void prepareKeys() {
        connections.with(this::addKeyColumns);
        super.prepareKeys();
    }

    private boolean addKeyColumns(Connection conn) {
        try {
            keyColumns.createIfMissing(conn);
            if (letterColumns != null) {
                letterColumns.createColumnsIfMissing(conn);
            }
            return true;
        } catch (SQLException | OutboxStoreException e) {
            LOG.log(Level.DEBUG, "The columns for order by key cannot be added", e);
            return false;
        }
    }
}
