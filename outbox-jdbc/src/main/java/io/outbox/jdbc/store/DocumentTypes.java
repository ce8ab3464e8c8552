package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The types that the columns for payload and headers have on PostgreSQL. A single value takes the type of its column,
 * but the elements of an array are text, and PostgreSQL turns text into JSON only if it is told to.
 *
 * <p>Remembered by database, since a store may serve several. Thread-safe.
 */
final class DocumentTypes {

    private static final String TYPES = """
            SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
            WHERE attrelid = to_regclass('{table}') AND attname IN ('payload', 'headers')""";

    private final Map<String, Map<String, String>> known = new ConcurrentHashMap<>();

    /** Fills the gaps for both types in a statement. */
    Sql in(Sql statement, Connection conn, String table) {
        String database = database(conn);
        Map<String, String> types = known.get(database);
        if (types == null) {
            types = read(conn, table);
            if (!types.isEmpty()) {
                known.put(database, types);
            }
        }
        return statement
                .with("payload_type", types.getOrDefault("payload", "text"))
                .with("headers_type", types.getOrDefault("headers", "text"));
    }

    private static Map<String, String> read(Connection conn, String table) {
        String query = TYPES.replace("{table}", table);
        return JdbcTemplate.query(conn, query, row -> Map.entry(row.getString("name"), row.getString("type"))).stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Has the types asked for again, since a statement failed, which it does if somebody has changed them. */
    void forget(Connection conn) {
        known.remove(database(conn));
    }

    private static String database(Connection conn) {
        try {
            DatabaseMetaData database = conn.getMetaData();
            return database.getURL() + ' ' + database.getUserName();
        } catch (SQLException e) {
            throw new OutboxStoreException("The database does not name itself: " + e.getMessage(), e);
        }
    }
}
