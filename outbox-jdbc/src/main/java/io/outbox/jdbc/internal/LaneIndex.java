package io.outbox.jdbc.internal;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

/**
 * The index by which event types with a lane of their own find their events. Without it, each read of such a type walks
 * over the pending events of all others.
 *
 * @param catalog where to look for it
 * @param script how to create it
 */
public record LaneIndex(TableCatalog catalog, SchemaScript script) {

    private static final System.Logger LOG = System.getLogger("io.outbox.jdbc");
    private static final Set<String> LIKE_MYSQL = Set.of("mysql", "mariadb");

    /**
     * Returns the index of a table; {@code script} is the name of the database's script beside the class of its store.
     */
    public static LaneIndex of(Class<?> store, String script, String tableName, boolean schemaIsCatalog) {
        return new LaneIndex(new TableCatalog(tableName, schemaIsCatalog), new SchemaScript(store, script, tableName));
    }

    /** Returns whether the table has such an index, under whatever name. */
    public boolean isPresent(Connection conn) throws SQLException {
        return catalog.hasLaneIndex(conn);
    }

    /**
     * Creates the index in auto-commit mode, unless it is there; a failure stands only if it still is not. Transactions
     * that begin and write to the table do not wait for it, or only for a moment. This may take as long as some
     * transaction is open, and fails if it takes too long, or if another node is at it.
     */
    public void createBesideWriters(Connection conn) throws SQLException {
        create(conn, () -> {
            if (isPostgres()) {
                PostgresIndex.create(conn, catalog.tableName(), script.laneIndex());
            } else if (LIKE_MYSQL.contains(script.name())) {
                createWaitingBriefly(conn);
            } else {
                SchemaScript.run(conn, script.laneIndex());
            }
        });
    }

    private boolean isPostgres() {
        return script.name().equals("postgresql");
    }

    private interface Creation {
        void run() throws SQLException;
    }

    private void create(Connection conn, Creation creation) throws SQLException {
        if (isPresent(conn)) {
            return;
        }
        try {
            creation.run();
        } catch (SQLException e) {
            if (!isPresent(conn)) {
                throw e;
            }
        }
    }

    /** While this statement waits for open transactions to end, those that begin wait for it. */
    private void createWaitingBriefly(Connection conn) throws SQLException {
        long usual;
        try (Statement query = conn.createStatement();
                ResultSet row = query.executeQuery("SELECT @@SESSION.lock_wait_timeout")) {
            row.next();
            usual = row.getLong(1);
        }
        try {
            SchemaScript.run(conn, List.of("SET SESSION lock_wait_timeout = 1"));
            SchemaScript.run(conn, script.laneIndex());
        } finally {
            SchemaScript.run(conn, List.of("SET SESSION lock_wait_timeout = " + usual));
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
