package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/** The table of the locks of writers, as the script for order by key creates and fills it. */
final class LockTable {

    private static final System.Logger LOG = System.getLogger(LockTable.class.getName());

    private final TableCatalog catalog;
    private final SchemaScript script;

    LockTable(TableCatalog catalog, SchemaScript script) {
        this.catalog = catalog;
        this.script = script;
    }

    String name() {
        return catalog.tableName();
    }

    boolean isPresent(Connection conn) throws SQLException {
        return catalog.columnNames(conn).contains(KeyLocks.SLOT);
    }

    /** Returns which rows are missing, if any are and this user may read the table. */
    Optional<Finding> missingRows(Connection conn) {
        int missing;
        try {
            missing = KeyLocks.SLOTS - count(conn);
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "The rows of " + name() + " cannot be counted", e);
            return Optional.empty();
        }
        return missing == 0
                ? Optional.empty()
                : Optional.of(Finding.error(
                        "the table " + name() + " lacks " + missing + " of its " + KeyLocks.SLOTS
                                + " rows: writers of some keys could not wait for each other",
                        insert()));
    }

    private int count(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT COUNT(*) FROM " + name() + " WHERE slot BETWEEN 0 AND " + (KeyLocks.SLOTS - 1))) {
            row.next();
            return row.getInt(1);
        }
    }

    private String insert() {
        return script.keyed().stream()
                .filter(statement -> statement.contains(" INTO " + name()))
                .findFirst()
                .orElseThrow();
    }
}
