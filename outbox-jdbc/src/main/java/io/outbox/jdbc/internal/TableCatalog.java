package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a database's catalog says about a table. Names are in lower case.
 *
 * @param tableName the table, which may be qualified by its schema
 * @param schemaIsCatalog whether what qualifies a table is a catalog to the driver, as with MySQL
 */
public record TableCatalog(String tableName, boolean schemaIsCatalog) {

    /** Returns the columns of the table; none if there is no such table. */
    public Set<String> columns(Connection conn) throws SQLException {
        Location table = location(conn);
        Set<String> columns = new TreeSet<>();
        try (ResultSet rows = conn.getMetaData().getColumns(table.catalog, table.schema, table.name, null)) {
            while (rows.next()) {
                columns.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return columns;
    }

    /** Returns whether an index leads to the pending events of all types in the order in which they are due. */
    public boolean hasPendingIndex(Connection conn) throws SQLException {
        return indexes(conn).stream()
                .anyMatch(index -> index.get(0).equals("available_at")
                        || (index.size() > 1
                                && index.get(0).equals("status")
                                && index.get(1).equals("available_at")));
    }

    /** Returns whether an index leads to the pending events of one type in the order in which they are due. */
    public boolean hasLaneIndex(Connection conn) throws SQLException {
        return indexes(conn).stream()
                .anyMatch(index -> index.subList(0, Math.min(2, index.size())).contains("event_type")
                        && index.contains("available_at"));
    }

    /** Returns the columns of each index, in order. */
    private Collection<List<String>> indexes(Connection conn) throws SQLException {
        Location table = location(conn);
        Map<String, List<String>> indexes = new TreeMap<>();
        try (ResultSet rows = conn.getMetaData().getIndexInfo(table.catalog, table.schema, table.name, false, true)) {
            while (rows.next()) {
                String column = rows.getString("COLUMN_NAME");
                if (column != null) {
                    indexes.computeIfAbsent(rows.getString("INDEX_NAME"), name -> new ArrayList<>())
                            .add(column.toLowerCase(Locale.ROOT));
                }
            }
        }
        return indexes.values();
    }

    /** Where the driver's metadata has the table. */
    private record Location(String catalog, String schema, String name) {}

    private Location location(Connection conn) throws SQLException {
        DatabaseMetaData metaData = conn.getMetaData();
        int dot = tableName.indexOf('.');
        String simple = stored(metaData, tableName.substring(dot + 1));
        String qualifier = dot < 0 ? null : stored(metaData, tableName.substring(0, dot));
        if (schemaIsCatalog) {
            return new Location(qualifier == null ? conn.getCatalog() : qualifier, null, simple);
        }
        return new Location(conn.getCatalog(), qualifier == null ? conn.getSchema() : qualifier, simple);
    }

    /** Returns an unquoted identifier in the case in which the database keeps it. */
    private static String stored(DatabaseMetaData metaData, String identifier) throws SQLException {
        if (metaData.storesUpperCaseIdentifiers()) {
            return identifier.toUpperCase(Locale.ROOT);
        }
        return metaData.storesLowerCaseIdentifiers() ? identifier.toLowerCase(Locale.ROOT) : identifier;
    }
}
