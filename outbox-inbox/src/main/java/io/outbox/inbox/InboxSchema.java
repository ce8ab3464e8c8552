package io.outbox.inbox;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The table of consumed events: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/<database>-inbox.sql}, for Flyway in {@code schema/flyway-inbox/<database>} and for Liquibase in
 * {@code schema/liquibase/outbox-inbox.xml}.
 */
public final class InboxSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 1;

    /** The table that is used unless another is named. */
    public static final String DEFAULT_TABLE = "outbox_consumed_event";

    private static final Set<String> KEY = Set.of("consumer", "event_id");
    private static final String DISTINCT =
            "SELECT COUNT(*) FROM (SELECT %s AS id FROM %s WHERE 1 = 0 UNION SELECT 'a' UNION SELECT 'A') AS ids";
    private static final List<String> AGE = List.of("consumer", "consumed_at");

    private final ConnectionProvider connections;
    private final TableCatalog catalog;
    private final SchemaScript script;

    InboxSchema(ConnectionProvider connections, AbstractJdbcOutboxStore store, String tableName) {
        this.connections = connections;
        this.catalog = new TableCatalog(tableName, store.isSchemaCatalog());
        this.script = new SchemaScript(InboxSchema.class, store.schemaScript() + "-inbox", DEFAULT_TABLE, tableName);
    }

    /** Returns the DDL statements for this database and table. */
    public List<String> statements() {
        return script.table();
    }

    /**
     * Creates the table and its index where they are missing. Several nodes may do so at the same time. A user who may
     * not create anything passes if the table can be used.
     */
    public InboxSchema createIfMissing() {
        try {
            withConnection(conn -> {
                conn.setAutoCommit(true);
                if (!isComplete(conn)) {
                    SchemaScript.run(conn, statements());
                }
                return null;
            });
            return this;
        } catch (OutboxStoreException e) {
            return validateAfter(e);
        }
    }

    /**
     * Returns whether nothing is to be done. A database may lock the table even for an index that is there: a node that
     * starts would wait for the operations of the others, and new ones for it.
     */
    private boolean isComplete(Connection conn) throws SQLException {
        return problems(conn).isEmpty() && catalog.indexes(conn, false).stream().anyMatch(InboxSchema::isByAge);
    }

    private static boolean isByAge(List<String> index) {
        return index.size() >= AGE.size() && index.subList(0, AGE.size()).equals(AGE);
    }

    private InboxSchema validateAfter(OutboxStoreException failure) {
        try {
            return validate();
        } catch (OutboxStoreException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /**
     * Checks that the table has the columns and the key, without which events would have their effect twice, and that
     * ids and names fit and are told apart by case. A table that the database's catalog does not show, as one elsewhere on the search path, does
     * not pass.
     *
     * @throws OutboxStoreException if something is missing, with all of it and the DDL
     */
    public InboxSchema validate() {
        List<String> problems = withConnection(this::problems);
        if (!problems.isEmpty()) {
            throw new OutboxStoreException("The table of consumed events " + catalog.tableName() + " cannot be used: "
                    + String.join("; ", problems) + ". Create it with JdbcInbox.createSchema() or by schema/"
                    + script.name() + ".sql in the outbox-inbox jar (version " + VERSION + ")");
        }
        return this;
    }

    private List<String> problems(Connection conn) throws SQLException {
        Map<String, Integer> columns = catalog.columnSizes(conn);
        if (columns.isEmpty()) {
            return List.of("it does not exist");
        }
        List<String> problems = new ArrayList<>();
        for (String column : script.columns().keySet()) {
            Integer size = columns.get(column);
            if (size == null) {
                problems.add("column " + column + " is missing");
            } else if (KEY.contains(column) && size < EventId.MAX_LENGTH) {
                problems.add("column " + column + " takes " + size + " characters, not " + EventId.MAX_LENGTH);
            }
        }
        for (String column : KEY) {
            if (columns.containsKey(column) && !tellsCasesApart(conn, column)) {
                problems.add(
                        "column " + column + " takes a and A for the same, so that events would be skipped as consumed"
                                + " that were not: give it the collation of the script");
            }
        }
        if (catalog.indexes(conn, true).stream().noneMatch(key -> key.size() == 2 && KEY.equals(Set.copyOf(key)))) {
            problems.add("(consumer, event_id) is not a key: events would have their effect more than once");
        }
        return problems;
    }

    /** Lets the database compare by the rules of the column, whatever it calls them. */
    private boolean tellsCasesApart(Connection conn, String column) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet counted = statement.executeQuery(DISTINCT.formatted(column, catalog.tableName()))) {
            counted.next();
            return counted.getInt(1) == 2;
        }
    }

    private interface ConnectionWork<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T withConnection(ConnectionWork<T> work) {
        try (Connection conn = connections.getConnection()) {
            boolean autoCommit = conn.getAutoCommit();
            try {
                return work.run(conn);
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot create or check the table of consumed events " + catalog.tableName() + ": "
                            + e.getMessage(),
                    e);
        }
    }
}
