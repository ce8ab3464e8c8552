package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The rules for tables of Oracle. */
public final class OracleTableRules implements TableRules {

    /** The name of a type for times has its precision inside; a default itself is of a type that no condition takes. */
    private static final String COLUMNS = """
            SELECT column_name, CASE WHEN data_type LIKE 'TIMESTAMP(_)' THEN 'TIMESTAMP' ELSE data_type END AS type_name,
              NULL AS spelled,
              CASE WHEN data_type IN ('VARCHAR2', 'NVARCHAR2', 'CHAR', 'NCHAR') THEN char_length END AS max_length,
              CASE WHEN data_type LIKE 'TIMESTAMP%' THEN data_scale END AS fraction,
              CASE nullable WHEN 'Y' THEN 'YES' ELSE 'NO' END AS is_nullable, NULL AS character_set, NULL AS collation,
              CASE WHEN default_length IS NOT NULL OR identity_column = 'YES' THEN 'YES' ELSE 'NO' END AS is_filled
            FROM all_tab_columns WHERE owner = ? AND table_name = ?""";

    /** What the outbox cannot work with; a driver takes the order of texts from the locale of the JVM. */
    private static final String UNSUITABLE = """
            SELECT "PARAMETER", "VALUE" FROM nls_session_parameters
            WHERE "PARAMETER" IN ('NLS_COMP', 'NLS_SORT') AND "VALUE" <> 'BINARY'
            UNION ALL
            SELECT "PARAMETER", "VALUE" FROM nls_database_parameters
            WHERE "PARAMETER" = 'NLS_CHARACTERSET' AND "VALUE" NOT IN ('AL32UTF8', 'UTF8')""";

    @Override
    public String columnsQuery() {
        return COLUMNS;
    }

    /** CHAR comes back padded, DATE has no fractions of a second, and no condition takes a CLOB as a key. */
    @Override
    public Set<String> types(ColumnRule.Kind kind) {
        return switch (kind) {
            case KEY, ORDER_KEY -> Set.of("varchar2", "nvarchar2");
            case DOCUMENT, REASON, TEXT -> Set.of("clob", "nclob", "varchar2", "nvarchar2");
            case STATUS, COUNT, NUMBER, SEQUENCE -> Set.of("number");
            case TIME -> Set.of("timestamp");
        };
    }

    @Override
    public String addColumn() {
        return "ADD";
    }

    /** Oracle changes the length of a column that has rows, but not its type. */
    @Override
    public String retype(String table, Column found, ColumnDefinition wanted) {
        boolean isLonger = wanted.type().toLowerCase(Locale.ROOT).startsWith(found.type() + "(");
        return isLonger ? "ALTER TABLE " + table + " MODIFY (" + found.name() + " " + wanted.type() + ")" : null;
    }

    @Override
    public String allowNull(String table, Column found) {
        return "ALTER TABLE " + table + " MODIFY (" + found.name() + " NULL)";
    }

    @Override
    public Optional<Finding> serverFinding(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(UNSUITABLE)) {
            return rows.next() ? Optional.of(finding(rows.getString(1), rows.getString(2))) : Optional.empty();
        }
    }

    private static Finding finding(String parameter, String value) {
        return parameter.equals("NLS_CHARACTERSET")
                ? Finding.error(
                        "the character set of the database is " + value
                                + ": Oracle would silently change characters that it does not have; the outbox needs"
                                + " a database with AL32UTF8",
                        null)
                : Finding.error(
                        "the session has " + parameter + " = " + value
                                + ", so that pages in the order of texts would leave events out; let the pool run the"
                                + " statement on each new connection (in Spring Boot"
                                + " spring.datasource.hikari.connection-init-sql)",
                        "ALTER SESSION SET NLS_COMP = BINARY NLS_SORT = BINARY");
    }
}
