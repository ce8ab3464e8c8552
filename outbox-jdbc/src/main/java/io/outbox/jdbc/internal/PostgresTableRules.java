package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The rules for tables of PostgreSQL. */
public final class PostgresTableRules implements TableRules {

    private static final String COLUMNS = """
            SELECT column_name, CASE data_type WHEN 'USER-DEFINED' THEN udt_name ELSE data_type END AS type_name,
              NULL AS spelled, character_maximum_length AS max_length,
              datetime_precision AS fraction, is_nullable, NULL AS character_set, NULL AS collation,
              CASE WHEN column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS'
                THEN 'YES' ELSE 'NO' END AS is_filled
            FROM information_schema.columns WHERE table_schema = ? AND table_name = ?""";

    private static final Set<String> TEXT = Set.of("character varying", "text");
    private static final Set<String> DOCUMENT = Set.of("character varying", "text", "json", "jsonb");

    @Override
    public String columnsQuery() {
        return COLUMNS;
    }

    @Override
    public Set<String> types(ColumnRule.Kind kind) {
        return switch (kind) {
            case DOCUMENT -> DOCUMENT;
            case KEY, ORDER_KEY, REASON, TEXT -> TEXT;
            case STATUS, COUNT -> Set.of("smallint", "integer", "bigint", "numeric");
            case NUMBER, SEQUENCE -> Set.of("bigint", "numeric");
            case TIME -> Set.of("timestamp without time zone");
        };
    }

    @Override
    public String retype(String table, Column found, ColumnDefinition wanted) {
        return "ALTER TABLE " + table + " ALTER COLUMN " + found.name() + " TYPE " + wanted.type()
                + using(found, wanted);
    }

    private static String using(Column found, ColumnDefinition wanted) {
        if (found.type().equals("timestamp with time zone")) {
            return " USING " + found.name() + " AT TIME ZONE 'UTC'";
        }
        String type = wanted.type().replaceAll(" COLLATE .*", "");
        return TEXT.contains(found.type()) && !type.startsWith("TIMESTAMP")
                ? ""
                : " USING " + found.name() + "::" + type;
    }

    @Override
    public List<String> missingRights(Connection conn, String table) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (String right : List.of("SELECT", "INSERT", "UPDATE")) {
            try (PreparedStatement statement = conn.prepareStatement("SELECT has_table_privilege(?, ?)")) {
                statement.setString(1, table);
                statement.setString(2, right);
                try (ResultSet result = statement.executeQuery()) {
                    if (result.next() && !result.getBoolean(1)) {
                        missing.add(right);
                    }
                }
            }
        }
        return missing;
    }

    @Override
    public String allowNull(String table, Column found) {
        return "ALTER TABLE " + table + " ALTER COLUMN " + found.name() + " DROP NOT NULL";
    }
}
