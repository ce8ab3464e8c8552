package io.outbox.jdbc.internal;

import java.util.List;
import java.util.Set;

/** The rules for tables of H2. */
public final class H2TableRules implements TableRules {

    /** In upper case, in which the names are found however H2 was told to treat unquoted ones. */
    private static final String COLUMNS = """
            SELECT COLUMN_NAME, DATA_TYPE AS type_name, NULL AS spelled, CHARACTER_MAXIMUM_LENGTH AS max_length,
              DATETIME_PRECISION AS fraction, IS_NULLABLE, NULL AS character_set, NULL AS collation,
              CASE WHEN COLUMN_DEFAULT IS NOT NULL OR IS_IDENTITY = 'YES' OR IS_GENERATED = 'ALWAYS'
                THEN 'YES' ELSE 'NO' END AS is_filled
            FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?""";

    @Override
    public String columnsQuery() {
        return COLUMNS;
    }

    @Override
    public Set<String> types(ColumnRule.Kind kind) {
        return switch (kind) {
            case KEY, REASON, TEXT -> Set.of("character varying", "varchar_ignorecase", "character large object");
            case ORDER_KEY -> Set.of("character varying");
            case DOCUMENT -> Set.of("character varying", "character large object", "json");
            case STATUS -> Set.of("tinyint", "smallint", "integer", "bigint", "numeric");
            case COUNT -> Set.of("smallint", "integer", "bigint", "numeric");
            case NUMBER, SEQUENCE -> Set.of("bigint", "numeric");
            case TIME -> Set.of("timestamp");
        };
    }

    @Override
    public String retype(String table, Column found, ColumnDefinition wanted) {
        boolean zoned = found.type().equals("timestamp with time zone");
        return "ALTER TABLE " + table + " ALTER COLUMN " + found.name() + " SET DATA TYPE " + wanted.type()
                + (zoned ? " USING CAST(" + found.name() + " AT TIME ZONE 'UTC' AS " + wanted.type() + ")" : "");
    }

    @Override
    public String allowNull(String table, Column found) {
        return "ALTER TABLE " + table + " ALTER COLUMN " + found.name() + " DROP NOT NULL";
    }

    /** H2 makes no nullable column a primary key, which this column may be by now. */
    @Override
    public String addKey(String table, List<String> primaryKey, List<String> key) {
        return "ALTER TABLE " + table + " ADD UNIQUE (" + String.join(", ", key) + ")";
    }
}
