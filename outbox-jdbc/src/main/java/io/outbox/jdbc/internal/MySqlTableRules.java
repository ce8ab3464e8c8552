package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The rules for tables of MySQL, MariaDB and TiDB. */
public final class MySqlTableRules implements TableRules {

    private static final String COLUMNS = """
            SELECT column_name, data_type AS type_name, column_type AS spelled, character_maximum_length AS max_length,
              datetime_precision AS fraction, is_nullable, character_set_name AS character_set,
              collation_name AS collation,
              CASE WHEN column_default IS NOT NULL OR extra LIKE '%auto_increment%' OR extra LIKE '%GENERATED%'
                THEN 'YES' ELSE 'NO' END AS is_filled
            FROM information_schema.columns WHERE table_schema = ? AND table_name = ?""";

    /** What is not known to a server is not in the answer. */
    private static final String BINARY_LOG = """
            SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'sql_log_bin') AND Value <> 'ON'
              OR Variable_name = 'binlog_format' AND Value = 'STATEMENT'""";

    /** The character sets with all of Unicode. */
    private static final Set<String> UNICODE = Set.of("utf8mb4", "utf16", "utf16le", "utf32", "gb18030");

    private static final int TABLE_ACCESS_DENIED = 1142;
    private static final int COLUMN_ACCESS_DENIED = 1143;

    @Override
    public String columnsQuery() {
        return COLUMNS;
    }

    /**
     * CHAR is fine here: trailing blanks are cut off again when it is read. TIMESTAMP depends on the session's zone.
     */
    @Override
    public Set<String> types(ColumnRule.Kind kind) {
        return switch (kind) {
            case KEY -> Set.of("char", "varchar", "tinytext", "text", "mediumtext", "longtext");
            case ORDER_KEY -> Set.of("varchar");
            case DOCUMENT -> Set.of("varchar", "text", "mediumtext", "longtext", "json");
            case REASON, TEXT -> Set.of("varchar", "text", "mediumtext", "longtext");
            case STATUS -> Set.of("tinyint", "smallint", "mediumint", "int", "bigint", "decimal");
            case COUNT -> Set.of("smallint", "mediumint", "int", "bigint", "decimal");
            case NUMBER, SEQUENCE -> Set.of("bigint", "decimal");
            case TIME -> Set.of("datetime");
        };
    }

    @Override
    public String retype(String table, Column found, ColumnDefinition wanted) {
        return "ALTER TABLE " + table + " MODIFY COLUMN " + found.name() + " " + wanted.withoutKey();
    }

    @Override
    public String allowNull(String table, Column found) {
        return "ALTER TABLE " + table + " MODIFY COLUMN " + found.name() + " " + found.spelled() + " NULL";
    }

    /** Asks by statements that change nothing: no catalog shows what a user has by its roles. */
    @Override
    public List<String> missingRights(Connection conn, String table) throws SQLException {
        List<String> missing = new ArrayList<>();
        for (String statement : List.of(
                "SELECT 1 FROM " + table + " WHERE 1 = 0",
                "INSERT INTO " + table + " (event_id) SELECT '' FROM DUAL WHERE 1 = 0",
                "UPDATE " + table + " SET status = 0 WHERE 1 = 0")) {
            if (isDenied(conn, statement)) {
                missing.add(statement.substring(0, statement.indexOf(' ')));
            }
        }
        return missing;
    }

    /** A statement that fails for another reason has passed the check of rights, which comes first. */
    private static boolean isDenied(Connection conn, String sql) {
        try (Statement statement = conn.createStatement()) {
            statement.execute(sql);
            return false;
        } catch (SQLException e) {
            return e.getErrorCode() == TABLE_ACCESS_DENIED || e.getErrorCode() == COLUMN_ACCESS_DENIED;
        }
    }

    @Override
    public String grantee(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet result = statement.executeQuery("SELECT CURRENT_USER()")) {
            result.next();
            return "'" + result.getString(1).replaceFirst("@(?=[^@]*$)", "'@'") + "'";
        }
    }

    /** Claims and outcomes run at READ COMMITTED, which InnoDB refuses with a log of statements (error 1665). */
    @Override
    public Optional<Finding> serverFinding(Connection conn) throws SQLException {
        Set<String> variables = new HashSet<>();
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(BINARY_LOG)) {
            while (rows.next()) {
                variables.add(rows.getString(1));
            }
        }
        return variables.equals(Set.of("binlog_format"))
                ? Optional.of(Finding.error(
                        "the server logs statements (binlog_format = STATEMENT), so InnoDB refuses every change at READ"
                                + " COMMITTED, which claims and outcomes need; after the change, open new connections",
                        "SET GLOBAL binlog_format = 'ROW'"))
                : Optional.empty();
    }

    /** Statements that name events by id go by the primary key, by its name. */
    @Override
    public boolean acceptsUniqueIndex() {
        return false;
    }

    /** Leaves the former key unique, without which a column that counts by itself could not stay. */
    @Override
    public String addKey(String table, List<String> primaryKey, List<String> key) {
        String add = " ADD PRIMARY KEY (" + String.join(", ", key) + ")";
        return primaryKey.isEmpty()
                ? "ALTER TABLE " + table + add
                : "ALTER TABLE " + table + " DROP PRIMARY KEY," + add + ", ADD UNIQUE (" + String.join(", ", primaryKey)
                        + ")";
    }

    @Override
    public boolean takesEveryCharacter(Column column) {
        return column.characterSet() == null || UNICODE.contains(column.characterSet());
    }

    /** As a collation for binary texts, or for those with upper and lower case, does. */
    @Override
    public boolean tellsTextsApart(Column column) {
        return column.collation() == null || !column.collation().endsWith("_ci");
    }

    @Override
    public String takeEveryCharacter(String table) {
        return "ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    }
}
