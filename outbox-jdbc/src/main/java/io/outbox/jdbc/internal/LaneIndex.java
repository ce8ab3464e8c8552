package io.outbox.jdbc.internal;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The index by which event types with a lane of their own find their events. Without it, each read of such a type walks
 * over the pending events of all others.
 *
 * @param catalog where to look for it
 * @param script how to create it
 */
public record LaneIndex(TableCatalog catalog, SchemaScript script) {

    private static final System.Logger LOG = System.getLogger("io.outbox.jdbc");

    /** Returns the index of a table; {@code script} is the name of the database's script beside the class of its store. */
    public static LaneIndex of(Class<?> store, String script, String tableName, boolean schemaIsCatalog) {
        return new LaneIndex(new TableCatalog(tableName, schemaIsCatalog), new SchemaScript(store, script, tableName));
    }

    /** Returns whether the table has such an index, under whatever name. */
    public boolean isPresent(Connection conn) throws SQLException {
        return catalog.hasLaneIndex(conn);
    }

    /** Creates the index in auto-commit mode, unless it is there; a failure stands only if it still is not. */
    public void createIfMissing(Connection conn) throws SQLException {
        if (isPresent(conn)) {
            return;
        }
        try {
            SchemaScript.run(conn, script.laneIndex());
        } catch (SQLException e) {
            if (!isPresent(conn)) {
                throw e;
            }
        }
    }

    /** Returns whether the table has such an index, and says how to create it if not. */
    public boolean isPresentOrWarn(Connection conn) throws SQLException {
        boolean present = isPresent(conn);
        if (!present) {
            LOG.log(
                    Level.WARNING,
                    "The outbox table " + catalog.tableName()
                            + " has no index by event type, so finding the events of a"
                            + " type with its own lane takes longer the more events of other types wait. Create: "
                            + ddl());
        }
        return present;
    }

    /** Returns the statement that creates the index, or its columns where we have no statement for the database. */
    private String ddl() {
        return script.hasLaneIndex()
                ? script.indexForLanes().statement()
                : "an index on " + catalog.tableName() + " (status, event_type, available_at, created_at, event_id)";
    }
}
