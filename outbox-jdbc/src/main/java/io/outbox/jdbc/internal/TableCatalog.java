package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a database's catalog says about a table. Names are in lower case.
 *
 * @param tableName the table, which may be qualified by its schema
 * @param schemaIsCatalog whether what qualifies a table is a catalog to the driver, as with MySQL
 */
public record TableCatalog(String tableName, boolean schemaIsCatalog) {

    /** Returns the names of the columns as the driver has them; none if there is no such table. */
    public Set<String> columnNames(Connection conn) throws SQLException {
        return columnSizes(conn).keySet();
    }

    /** Returns how much each column takes, of text the number of characters; none if there is no such table. */
    public Map<String, Integer> columnSizes(Connection conn) throws SQLException {
        Location table = location(conn);
        Map<String, Integer> columns = new TreeMap<>();
        try (ResultSet rows = conn.getMetaData().getColumns(table.catalog, table.schema, table.name, null)) {
            while (rows.next()) {
                if (table.isNamed(rows.getString("TABLE_NAME"))) {
                    columns.put(lowerCase(rows.getString("COLUMN_NAME")), rows.getInt("COLUMN_SIZE"));
                }
            }
        }
        return columns;
    }

    /** Returns the columns by the query of a database that we know; none if there is no such table. */
    List<Column> columns(Connection conn, TableRules rules) throws SQLException {
        Location table = location(conn);
        List<Column> columns = new ArrayList<>();
        try (PreparedStatement query = conn.prepareStatement(rules.columnsQuery())) {
            query.setString(1, schemaIsCatalog ? table.catalog : table.schema);
            query.setString(2, table.name);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    columns.add(column(rows));
                }
            }
        }
        return columns;
    }

    private static Column column(ResultSet row) throws SQLException {
        String type = lowerCase(row.getString("type_name"));
        long limit = row.getLong("max_length");
        Long length = row.wasNull() ? null : limit;
        int digits = row.getInt("fraction");
        Integer fraction = row.wasNull() ? null : digits;
        String spelled = row.getString("spelled");
        return new Column(
                lowerCase(row.getString("column_name")),
                type,
                spelled != null ? lowerCase(spelled) : spell(type, length, fraction),
                length,
                fraction,
                "YES".equals(row.getString("is_nullable")),
                "YES".equals(row.getString("is_filled")),
                row.getString("character_set"),
                lowerCase(row.getString("collation")));
    }

    private static String spell(String type, Long length, Integer fraction) {
        if (length != null) {
            return type + "(" + length + ")";
        }
        return fraction != null ? type + "(" + fraction + ")" : type;
    }

    /** Returns whether it is a table, which has keys and indexes, and not a view of one. */
    boolean isTable(Connection conn) throws SQLException {
        Location table = location(conn);
        try (ResultSet rows = conn.getMetaData().getTables(table.catalog, table.schema, table.name, null)) {
            while (rows.next()) {
                if (table.isNamed(rows.getString("TABLE_NAME"))) {
                    return Set.of("TABLE", "BASE TABLE", "PARTITIONED TABLE").contains(rows.getString("TABLE_TYPE"));
                }
            }
        }
        return false;
    }

    /** Returns the columns of the primary key, in order; none if there is no such key. */
    List<String> primaryKey(Connection conn) throws SQLException {
        Location table = location(conn);
        Map<Integer, String> columns = new TreeMap<>();
        try (ResultSet rows = conn.getMetaData().getPrimaryKeys(table.catalog, table.schema, table.name)) {
            while (rows.next()) {
                columns.put(rows.getInt("KEY_SEQ"), lowerCase(rows.getString("COLUMN_NAME")));
            }
        }
        return List.copyOf(columns.values());
    }

    /** Returns whether an index leads to the pending events of one type in the order in which they are due. */
    public boolean hasLaneIndex(Connection conn) throws SQLException {
        Map<String, List<String>> indexes = indexesByName(conn, false);
        indexes.values().removeIf(columns -> !leadsToTypes(columns));
        return !indexes.isEmpty() && !PostgresIndex.invalid(conn, tableName).containsAll(indexes.keySet());
    }

    private static boolean leadsToTypes(List<String> columns) {
        return columns.subList(0, Math.min(2, columns.size())).contains("event_type")
                && columns.contains("available_at");
    }

    /** Returns the columns of each index, in order. */
    public Collection<List<String>> indexes(Connection conn, boolean uniqueOnly) throws SQLException {
        return indexesByName(conn, uniqueOnly).values();
    }

    /** Returns the columns of each index, in order, by its name in lower case. */
    public Map<String, List<String>> indexesByName(Connection conn, boolean uniqueOnly) throws SQLException {
        Location table = location(conn);
        Map<String, List<String>> indexes = new TreeMap<>();
        try (ResultSet rows =
                conn.getMetaData().getIndexInfo(table.catalog, table.schema, table.name, uniqueOnly, true)) {
            while (rows.next()) {
                String column = rows.getString("COLUMN_NAME");
                if (column != null) {
                    indexes.computeIfAbsent(lowerCase(rows.getString("INDEX_NAME")), name -> new ArrayList<>())
                            .add(lowerCase(column));
                }
            }
        }
        return indexes;
    }

    private static String lowerCase(String name) {
        return name == null ? null : name.toLowerCase(Locale.ROOT);
    }

    /** Where the driver's metadata has the table. */
    private record Location(String catalog, String schema, String name) {

        /** The driver takes a name for a pattern, so it also returns others. */
        boolean isNamed(String found) {
            return name.equalsIgnoreCase(found);
        }
    }

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
