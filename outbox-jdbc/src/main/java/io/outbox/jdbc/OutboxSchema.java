package io.outbox.jdbc;

import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/**
 * The outbox table of a database: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/h2.sql}, {@code schema/postgresql.sql}, {@code schema/mysql.sql} and {@code schema/mariadb.sql}, for
 * teams that create tables with a migration tool.
 */
public final class OutboxSchema {

    /** The version of the DDL. */
    public static final int VERSION = 1;

    private static final Set<String> COLUMNS = Set.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error",
            "locked_by",
            "locked_at");

    private final DataSource dataSource;
    private final String tableName;
    private final TableCatalog catalog;
    private final SchemaScript script;

    private OutboxSchema(DataSource dataSource, AbstractJdbcOutboxStore store) {
        this.dataSource = dataSource;
        this.tableName = store.tableName();
        this.catalog = new TableCatalog(tableName, store.isSchemaCatalog());
        this.script = new SchemaScript(store.getClass(), store.schemaScript(), tableName);
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
        return script.table();
    }

    /**
     * Creates the table and its indexes where they are missing. Several nodes may do so at the same time. A user who may
     * not create anything passes if there is nothing to create.
     */
    public OutboxSchema createIfMissing() {
        try {
            return withConnection(conn -> {
                conn.setAutoCommit(true);
                SchemaScript.run(conn, statements());
                return this;
            });
        } catch (OutboxStoreException e) {
            if (!isValid()) {
                throw e;
            }
            return this;
        }
    }

    private boolean isValid() {
        try {
            validate();
            return true;
        } catch (OutboxStoreException e) {
            return false;
        }
    }

    /**
     * Creates the index by which event types with a lane of their own find their events, unless the table has it. The
     * script is in the resources {@code schema/*-lanes.sql}.
     */
    public OutboxSchema createLaneIndexIfMissing() {
        return withConnection(conn -> {
            conn.setAutoCommit(true);
            new LaneIndex(catalog, script).createIfMissing(conn);
            return this;
        });
    }

    /** Returns whether the table has the index by which event types with a lane of their own find their events. */
    public boolean hasLaneIndex() {
        return withConnection(catalog::hasLaneIndex);
    }

    /**
     * Checks that the table has every column that is needed, and an index to find pending events by.
     *
     * @throws OutboxStoreException if not, saying what is missing and how to mend it
     */
    public OutboxSchema validate() {
        List<String> problems = withConnection(this::problems);
        if (!problems.isEmpty()) {
            throw new OutboxStoreException("The outbox table " + tableName + " cannot be used: "
                    + String.join("; ", problems) + ". Create it with OutboxSchema.createIfMissing() or from schema/"
                    + script.name() + ".sql in the outbox-jdbc jar");
        }
        return this;
    }

    private List<String> problems(Connection conn) throws SQLException {
        Set<String> present = catalog.columns(conn);
        if (present.isEmpty()) {
            return List.of("it does not exist");
        }
        List<String> problems = new ArrayList<>();
        Set<String> missing = new TreeSet<>(COLUMNS);
        missing.removeAll(present);
        if (!missing.isEmpty()) {
            problems.add("missing columns " + missing);
        }
        if (!catalog.hasPendingIndex(conn)) {
            problems.add("missing index to find pending events by (status, available_at, created_at)");
        }
        return problems;
    }

    private interface ConnectionWork<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T withConnection(ConnectionWork<T> work) {
        try (Connection conn = dataSource.getConnection()) {
            boolean autoCommit = conn.getAutoCommit();
            try {
                return work.run(conn);
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot create or check the outbox table " + tableName + ": " + e.getMessage(), e);
        }
    }
}
