package io.outbox.jdbc;

import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.store.ManagedTable;
import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The outbox table of a database: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/h2.sql}, {@code schema/postgresql.sql}, {@code schema/mysql.sql}, {@code schema/mariadb.sql} and
 * {@code schema/oracle.sql}, for Flyway in {@code schema/flyway/<database>} and for Liquibase in
 * {@code schema/liquibase/outbox.xml}. Each of them also brings a table of an earlier version up to date.
 */
public final class OutboxSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 2;

    private static final System.Logger LOG = System.getLogger(OutboxSchema.class.getName());

    private static final ManagedTable.Description DESCRIPTION = new ManagedTable.Description(
            "outbox table",
            OutboxSchema.class,
            "",
            TableNames.DEFAULT_TABLE,
            "OutboxSchema.createIfMissing() or by schema/%1$s.sql in the outbox-jdbc jar (version " + VERSION
                    + "; for Flyway in classpath:schema/flyway/%1$s, for Liquibase in schema/liquibase/outbox.xml)");

    private final ConnectionProvider connections;
    private final AbstractJdbcOutboxStore store;
    private final ManagedTable table;

    private OutboxSchema(DataSource dataSource, AbstractJdbcOutboxStore store) {
        this.connections = new DataSourceConnectionProvider(dataSource);
        this.store = store;
        this.table = store.table(DESCRIPTION, store.tableName());
    }

    /** Returns the schema for the default table. */
    public static OutboxSchema of(DataSource dataSource) {
        return of(dataSource, TableNames.DEFAULT_TABLE);
    }

    /** Returns the schema for a table, which may be qualified by its schema. */
    public static OutboxSchema of(DataSource dataSource, String tableName) {
        Objects.requireNonNull(dataSource, "dataSource");
        TableNames.validate(tableName);
        return of(dataSource, JdbcOutboxStores.detect(dataSource).withTable(tableName));
    }

    /** Returns the schema for the table of a store. */
    public static OutboxSchema of(DataSource dataSource, AbstractJdbcOutboxStore store) {
        return new OutboxSchema(
                Objects.requireNonNull(dataSource, "dataSource"), Objects.requireNonNull(store, "store"));
    }

    /** Returns the DDL statements for this database and table. */
    public List<String> statements() {
        return table.statements();
    }

    /** Creates the table and its indexes where they are missing; see {@link ManagedTable#createIfMissing}. */
    public OutboxSchema createIfMissing() {
        table.createIfMissing(connections);
        return this;
    }

    /**
     * Creates the index by which lanes find their events, unless the table has it. The script is in the resources
     * {@code schema/*-lanes.sql}. Nobody who writes to the table waits for that; it may itself wait until transactions
     * have ended that are open now. Delivery works without the index too, so a failure is logged.
     */
    public OutboxSchema createLaneIndexIfMissing() {
        return withLaneIndex((index, conn) -> {
            conn.setAutoCommit(true);
            try {
                index.createBesideWriters(conn);
            } catch (SQLException e) {
                LOG.log(
                        Level.WARNING,
                        "The index by event type of " + store.tableName()
                                + " cannot be created now; delivery works without it, and the next start tries again",
                        e);
            }
            return this;
        });
    }

    /**
     * Adds the columns and indexes by which events of one key keep their order, unless the table has them. The script
     * is in the resources {@code schema/*-keyed.sql}. The first time, some databases rewrite the table for it.
     */
    public OutboxSchema createKeyedIfMissing() {
        return withConnection(conn -> {
            conn.setAutoCommit(true);
            store.keyColumns().createIfMissing(conn);
            return this;
        });
    }

    /** Returns whether the table has the columns and the index by which events of one key keep their order. */
    public boolean isKeyed() {
        return withConnection(conn -> store.keyColumns().arePresent(conn));
    }

    /** Returns whether the table has the index by which lanes find their events. */
    public boolean hasLaneIndex() {
        return withLaneIndex(LaneIndex::isPresent);
    }

    /**
     * Checks that the table takes what delivery writes; see {@link ManagedTable#validate}.
     *
     * @throws OutboxSchemaException if events would be refused, cut or changed, with all that is wrong and the
     * statements
     *     that mend it
     */
    public OutboxSchema validate() {
        table.validate(connections);
        return this;
    }

    /** Checks the settings of the server only. */
    void validateServer() {
        table.validateServer(connections);
    }

    private interface IndexWork<T> {
        T run(LaneIndex index, Connection conn) throws SQLException;
    }

    private <T> T withLaneIndex(IndexWork<T> work) {
        LaneIndex index =
                LaneIndex.of(store.getClass(), store.schemaScript(), store.tableName(), store.isSchemaCatalog());
        return withConnection(conn -> work.run(index, conn));
    }

    private interface Work<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T withConnection(Work<T> work) {
        try (Connection conn = Connections.open(connections)) {
            boolean autoCommit = conn.getAutoCommit();
            try {
                return work.run(conn);
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot create or look for an index of " + store.tableName() + ": " + e.getMessage(), e);
        }
    }
}
