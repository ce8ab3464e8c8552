package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Indexes of PostgreSQL that are created while others write to the table. {@code CREATE INDEX} would wait for all
 * transactions that have written to it, and every new one would wait for the statement. {@code CONCURRENTLY} waits as
 * well, but nobody waits for it. If it fails, it leaves an index that is not valid: the database does not use it, and
 * counts it as there.
 */
final class PostgresIndex {

    /** Long enough to read a large table twice, and an end for an attempt that waits for a session that is stuck. */
    private static final int TIMEOUT_SECONDS = 600;

    private static final String INVALID_NAMES = """
            SELECT lower(named.relname) FROM pg_index JOIN pg_class named ON named.oid = indexrelid
            WHERE indrelid = to_regclass(CAST(? AS text)) AND NOT indisvalid""";

    /** Dropping what another session is creating would destroy its work. */
    private static final String LEFT_BEHIND = """
            SELECT CAST(CAST(indexrelid AS regclass) AS text)
            FROM pg_index JOIN pg_class named ON named.oid = indexrelid
            WHERE indrelid = to_regclass(CAST(? AS text)) AND NOT indisvalid
              AND named.relname LIKE '%\\_pending\\_by\\_type'""";

    /** Autovacuum, which has no user, takes the same lock, and gives it up for others. */
    private static final String BEING_CHANGED = """
            SELECT mode FROM pg_locks
            WHERE relation = to_regclass(CAST(? AS text)) AND mode = 'ShareUpdateExclusiveLock'
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND pid IN (SELECT pid FROM pg_stat_activity WHERE usesysid IS NOT NULL)""";

    private PostgresIndex() {}

    /** Creates the index of a script in auto-commit mode, after dropping what an earlier attempt has left behind. */
    static void create(Connection conn, String table, List<String> script) throws SQLException {
        if (!query(conn, BEING_CHANGED, table).isEmpty()) {
            throw new SQLTransientException("Another session is creating an index on the table or vacuuming it");
        }
        dropInvalid(conn, table);
        for (String sql : script) {
            run(conn, sql.replace("CREATE INDEX ", "CREATE INDEX CONCURRENTLY "));
        }
    }

    /** Drops the index for lanes if it is not valid, and not about to become so. */
    private static void dropInvalid(Connection conn, String table) throws SQLException {
        if (query(conn, BEING_CHANGED, table).isEmpty()) {
            for (String name : query(conn, LEFT_BEHIND, table)) {
                run(conn, "DROP INDEX CONCURRENTLY IF EXISTS " + name);
            }
        }
    }

    /** Returns the names of indexes that are not valid, in lower case; none on other databases. */
    static Set<String> invalid(Connection conn, String table) throws SQLException {
        return "PostgreSQL".equals(conn.getMetaData().getDatabaseProductName())
                ? query(conn, INVALID_NAMES, table)
                : Set.of();
    }

    private static Set<String> query(Connection conn, String sql, String table) throws SQLException {
        Set<String> found = new HashSet<>();
        try (PreparedStatement query = conn.prepareStatement(sql)) {
            query.setString(1, table);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
        }
        return found;
    }

    private static void run(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            statement.execute(sql);
        }
    }
}
