package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The check of the columns for order by key: whether they take every key, tell keys apart and number events. That they
 * are there is known.
 *
 * @param rules those of the database; without them nothing is found
 */
public record KeyColumnCheck(TableCatalog catalog, SchemaScript script, Optional<TableRules> rules) {

    /** Returns what would have events refused, or delivered in another order. */
    public List<Finding> errors(Connection conn) throws SQLException {
        if (rules.isEmpty()) {
            return List.of();
        }
        Map<String, ColumnDefinition> definitions = script.keyedColumns();
        List<Column> columns = catalog.columns(conn, rules.get()).stream()
                .filter(column -> definitions.containsKey(column.name()))
                .toList();
        return new ColumnCheck(catalog.tableName(), TableShape.ofKeyed(script), rules.get(), definitions)
                .findings(columns, catalog.isTable(conn)).stream()
                        .filter(Finding::isError)
                        .toList();
    }
}
