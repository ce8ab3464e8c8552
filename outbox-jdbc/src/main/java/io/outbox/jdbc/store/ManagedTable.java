package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.internal.TableCheck;
import io.outbox.jdbc.internal.TableShape;
import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A table of the outbox in the database of a store: its DDL, its creation and its check. All tables of the outbox are
 * managed by this class; {@link AbstractJdbcOutboxStore#table} makes it. Immutable and thread-safe.
 */
public final class ManagedTable {

    private static final System.Logger LOG = System.getLogger(ManagedTable.class.getName());

    /**
     * What a table is, whatever its database and its name.
     *
     * @param title what it is called in messages, as in {@code outbox table}
     * @param owner a class of the jar that has its scripts, {@code schema/<database><suffix>.sql}
     * @param suffix what the names of its scripts have behind that of the database
     * @param defaultName the name of the table in the scripts
     * @param ways how to create it, for messages; {@code %s} is the name of the database
     */
    public record Description(String title, Class<?> owner, String suffix, String defaultName, String ways) {

        boolean isOutbox() {
            return suffix.isEmpty();
        }
    }

    private final Description description;
    private final String database;
    private final TableCatalog catalog;
    private final SchemaScript script;
    private final TableCheck check;
    private final Consumer<ConnectionProvider> connectionCheck;

    ManagedTable(AbstractJdbcOutboxStore store, Description description, String tableName) {
        this.description = description;
        this.database = store.schemaScript();
        this.catalog = new TableCatalog(tableName, store.isSchemaCatalog());
        Class<?> owner = description.isOutbox() ? store.getClass() : description.owner;
        this.script = new SchemaScript(owner, database + description.suffix, description.defaultName, tableName);
        TableShape shape = description.isOutbox() ? TableShape.OUTBOX : TableShape.of(script);
        this.check = new TableCheck(catalog, script, shape, store.tableRules());
        this.connectionCheck = description.isOutbox() ? store::checkConnections : connections -> {};
    }

    /** Returns the DDL statements. Run again, they leave what is there as it is. */
    public List<String> statements() {
        return script.table();
    }

    /**
     * Creates the table and its indexes where they are missing. Several nodes may do so at the same time. A user who
     * may not create anything passes if the table can be used; an index that is missing then is logged.
     */
    public void createIfMissing(ConnectionProvider connections) {
        connectionCheck.accept(connections);
        try {
            with(connections, conn -> {
                conn.setAutoCommit(true);
                if (!isComplete(conn)) {
                    requireServer(conn);
                    SchemaScript.run(conn, statements());
                }
                return null;
            });
        } catch (OutboxStoreException e) {
            validateAfter(connections, e);
        }
    }

    /**
     * Returns whether nothing is to be created. A database may lock the table even for an index that is there: a node
     * that starts would wait for all transactions that write to it, and new ones for it.
     */
    private boolean isComplete(Connection conn) {
        try {
            return check.findings(conn).map(List::isEmpty).orElse(false);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "Cannot determine whether the table exists; it is created if it does not", e);
            return false;
        }
    }

    /**
     * Checks that the server takes what delivery writes, whatever the table; see {@link #validate}. A server that does
     * not answer passes.
     *
     * @throws OutboxSchemaException if it refuses changes by its settings, with the statement that changes them
     */
    public void validateServer(ConnectionProvider connections) {
        try {
            with(connections, conn -> {
                requireServer(conn);
                return null;
            });
        } catch (OutboxSchemaException e) {
            throw e;
        } catch (OutboxStoreException e) {
            LOG.log(Level.DEBUG, "Cannot determine whether the server takes changes", e);
        }
    }

    private void requireServer(Connection conn) throws SQLException {
        Optional<Finding> finding = check.serverFinding(conn);
        if (finding.isPresent()) {
            throw unusable(List.of(finding.get()));
        }
    }

    private void validateAfter(ConnectionProvider connections, OutboxStoreException failure) {
        try {
            validate(connections);
        } catch (OutboxStoreException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /**
     * Checks that the table has every column that is needed, each of a type and length that takes what is written, a
     * key, and no column that we do not know and that has to be filled. A missing index is logged with the statement
     * that creates it. A table that the database's catalog does not show, as one elsewhere on the search path, is not
     * checked.
     *
     * @throws OutboxSchemaException if rows would be refused, cut or changed, with all that is wrong and the statements
     *     that mend it
     * @throws OutboxStoreException if the connections cannot be used, with what to set
     */
    public void validate(ConnectionProvider connections) {
        connectionCheck.accept(connections);
        List<Finding> findings = with(connections, check::findings).orElseThrow(this::missing);
        if (findings.stream().anyMatch(Finding::isError)) {
            throw unusable(findings);
        }
        if (!findings.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "The {0} works, but:{1}\nRun these statements to add what is missing, or create it with {2}",
                    name(),
                    list(findings),
                    ways());
        }
    }

    private OutboxSchemaException unusable(List<Finding> findings) {
        return new OutboxSchemaException(
                "The " + name() + " cannot be used:" + list(findings) + "\nThe whole table is created with " + ways(),
                catalog.tableName(),
                false,
                findings.stream().map(Finding::remedy).filter(Objects::nonNull).toList());
    }

    private static String list(List<Finding> findings) {
        return findings.stream().map(finding -> "\n- " + finding).collect(Collectors.joining());
    }

    private OutboxSchemaException missing() {
        return new OutboxSchemaException(
                "The " + name() + " cannot be used: it does not exist. Create it with " + ways(),
                catalog.tableName(),
                true,
                script.isPresent() ? statements() : List.of());
    }

    private String name() {
        return description.title + " " + catalog.tableName();
    }

    private String ways() {
        return description.ways.formatted(database);
    }

    private interface ConnectionWork<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T with(ConnectionProvider connections, ConnectionWork<T> work) {
        try (Connection conn = Connections.open(connections)) {
            boolean autoCommit = conn.getAutoCommit();
            try {
                return work.run(conn);
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot create or check the " + name() + ": " + e.getMessage(), e);
        }
    }
}
