package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is particular to a database in a check of tables: its catalog, its types and its DDL. */
public interface TableRules {

    /** Returns the query for the columns of a table, with its schema and its name as parameters. */
    String columnsQuery();

    /** Returns the types that take values of a kind unharmed. */
    Set<String> types(ColumnRule.Kind kind);

    /** Returns what an ALTER TABLE has before a new column. */
    default String addColumn() {
        return "ADD COLUMN";
    }

    /** Returns the statement that gives a column the type and constraints of its definition. */
    String retype(String table, Column found, ColumnDefinition wanted);

    /** Returns the statement that lets a column take {@code NULL}. */
    String allowNull(String table, Column found);

    /** Returns whether a unique index on the event id of the outbox table is as good as a primary key. */
    default boolean acceptsUniqueIndex() {
        return true;
    }

    /** Returns the statement that makes columns a key of a table with the given primary key, which may be empty. */
    default String addKey(String table, List<String> primaryKey, List<String> key) {
        return "ALTER TABLE " + table + (primaryKey.isEmpty() ? " ADD PRIMARY KEY" : " ADD UNIQUE") + " ("
                + String.join(", ", key) + ")";
    }

    /** Returns what about the server itself keeps the outbox from working, if anything does. */
    default Optional<Finding> serverFinding(Connection conn) throws SQLException {
        return Optional.empty();
    }

    /**
     * Returns which of the rights that delivery needs the user of the connection does not have, as far as it can be
     * asked for.
     */
    default List<String> missingRights(Connection conn, String table) throws SQLException {
        return List.of();
    }

    /** Returns the user of the connection as a GRANT names it. */
    default String grantee(Connection conn) throws SQLException {
        return conn.getMetaData().getUserName();
    }

    /** Returns whether a column takes every character. */
    default boolean takesEveryCharacter(Column column) {
        return true;
    }

    /** Returns whether a column tells apart texts that differ at all. */
    default boolean tellsTextsApart(Column column) {
        return true;
    }

    /** Returns the statement that makes every column of the table take every character. */
    default String takeEveryCharacter(String table) {
        throw new UnsupportedOperationException("All columns take every character");
    }
}
