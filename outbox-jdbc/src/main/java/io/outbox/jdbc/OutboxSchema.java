package io.outbox.jdbc;

import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.internal.TableCheck;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The outbox table of a database: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/h2.sql}, {@code schema/postgresql.sql}, {@code schema/mysql.sql} and {@code schema/mariadb.sql}, for
 * Flyway in {@code schema/flyway/<database>} and for Liquibase in {@code schema/liquibase/outbox.xml}. Each of them also
 * brings a table of an earlier version up to date.
 */
public final class OutboxSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 2;

    private static final System.Logger LOG = System.getLogger(OutboxSchema.class.getName());

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
     * not create anything passes if the table is there; an index that is not is logged.
     */
    public OutboxSchema createIfMissing() {
        try {
            return withConnection(conn -> {
                conn.setAutoCommit(true);
                if (!isComplete(conn)) {
                    SchemaScript.run(conn, statements());
                }
                return this;
            });
        } catch (OutboxStoreException e) {
            return validateAfter(e);
        }
    }

    /**
     * Returns whether nothing is to be created. A database may lock the table even for an index that is there: a node that
     * starts would wait for all transactions that write events, and new ones for it.
     */
    private boolean isComplete(Connection conn) {
        try {
            return new TableCheck(catalog, script)
                    .findings(conn)
                    .map(List::isEmpty)
                    .orElse(false);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Whether the table is there cannot be told; it is created if it is not", e);
            return false;
        }
    }

    private OutboxSchema validateAfter(OutboxStoreException failure) {
        try {
            return validate();
        } catch (OutboxStoreException e) {
            failure.addSuppressed(e);
            throw failure;
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
     * Checks that the table has every column that is needed, each of a type and length that takes what delivery writes, a
     * key, and no column that an event cannot fill. A missing index is logged with the statement that creates it. A table
     * that the database's catalog does not show, as one elsewhere on the search path, is not checked.
     *
     * @throws OutboxSchemaException if events would be refused, cut or changed, with all that is wrong and the statements
     *     that mend it
     */
    public OutboxSchema validate() {
        List<Finding> findings = findings().orElseThrow(this::missing);
        String list = findings.stream().map(finding -> "\n- " + finding).collect(Collectors.joining());
        if (findings.stream().anyMatch(Finding::isError)) {
            throw new OutboxSchemaException(
                    "The outbox table " + tableName + " cannot be used:" + list + "\nThe whole table is in "
                            + scripts(),
                    tableName,
                    false,
                    findings.stream()
                            .map(Finding::remedy)
                            .filter(Objects::nonNull)
                            .toList());
        }
        if (!findings.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "The outbox table {0} works, but:{1}\nTo add what is missing, run these statements or {2}",
                    tableName,
                    list,
                    scripts());
        }
        return this;
    }

    private OutboxSchemaException missing() {
        return new OutboxSchemaException(
                "The outbox table " + tableName + " cannot be used: it does not exist. Create it with"
                        + " OutboxSchema.createIfMissing() or by " + scripts(),
                tableName,
                true,
                script.isPresent() ? statements() : List.of());
    }

    private String scripts() {
        return "schema/" + script.name() + ".sql in the outbox-jdbc jar (version " + VERSION
                + "; for Flyway in classpath:schema/flyway/" + script.name()
                + ", for Liquibase in schema/liquibase/outbox.xml)";
    }

    private Optional<List<Finding>> findings() {
        return withConnection(new TableCheck(catalog, script)::findings);
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
