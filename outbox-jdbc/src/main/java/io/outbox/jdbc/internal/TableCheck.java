package io.outbox.jdbc.internal;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The check of a table: whether it takes what our statements are going to write.
 *
 * <p>An error is whatever would have rows refused, cut or changed. What is larger than need be, a nullable column that
 * need not be and columns of the application's own are fine. A missing index costs time and is a warning. Of a view
 * only the columns are looked at, since keys and indexes are those of the tables behind it. What the catalog does not
 * show although it can be read, as a table elsewhere on the search path, is not checked.
 */
public final class TableCheck {

    /** What an application that only writes does without. */
    private static final List<String> NOT_NEEDED_TO_WRITE = List.of("SELECT", "UPDATE");

    private static final System.Logger LOG = System.getLogger("io.outbox.jdbc");

    /** The column that leads an index of ours, and what the index is for. */
    private static final Map<String, String> PURPOSES = Map.of(
            "available_at", "finding due events takes longer the more events there are",
            "done_at", "purging takes longer the more events there are",
            "created_at", "pages of dead events take longer the more events there are");

    private final TableCatalog catalog;
    private final SchemaScript script;
    private final TableShape shape;
    private final Optional<TableRules> rules;

    /** @param rules those of the database; without them only the names of columns and the indexes are checked */
    public TableCheck(TableCatalog catalog, SchemaScript script, TableShape shape, Optional<TableRules> rules) {
        this.catalog = catalog;
        this.script = script;
        this.shape = shape;
        this.rules = rules;
    }

    /** Returns what is not as it should be, errors first; empty if there is no such table. */
    public Optional<List<Finding>> findings(Connection conn) throws SQLException {
        try {
            Set<String> columns = catalog.columnNames(conn);
            if (!columns.isEmpty()) {
                return Optional.of(findings(conn, columns));
            }
            if (!isReadable(conn)) {
                return Optional.empty();
            }
            LOG.log(Level.DEBUG, "The table {0} is not checked: the catalog does not show it", table());
        } catch (SQLException e) {
            if (!isReadable(conn)) {
                throw e;
            }
            LOG.log(Level.DEBUG, "The table " + table() + " is not checked: the catalog cannot be read", e);
        }
        return Optional.of(List.of());
    }

    /** Returns what about the server itself keeps delivery from working, if anything does. */
    public Optional<Finding> serverFinding(Connection conn) throws SQLException {
        return shape.isOutbox() && rules.isPresent() ? rules.get().serverFinding(conn) : Optional.empty();
    }

    private List<Finding> findings(Connection conn, Set<String> names) throws SQLException {
        List<Finding> findings = new ArrayList<>(missingColumns(names));
        serverFinding(conn).ifPresent(findings::add);
        boolean isTable = catalog.isTable(conn);
        if (rules.isPresent() && script.isPresent()) {
            ColumnCheck check = new ColumnCheck(table(), shape, rules.get(), script.columns());
            findings.addAll(check.findings(catalog.columns(conn, rules.get()), isTable));
            if (isTable && names.containsAll(shape.key())) {
                findings.addAll(missingKey(conn, rules.get()));
            }
        }
        if (isTable && script.isPresent()) {
            findings.addAll(missingIndexes(conn));
        }
        if (shape.isOutbox() && rules.isPresent()) {
            findings.addAll(missingRights(conn, rules.get()));
        }
        findings.sort(Comparator.comparing(finding -> !finding.isError()));
        return findings;
    }

    private List<Finding> missingColumns(Set<String> names) {
        Map<String, ColumnDefinition> definitions = script.isPresent() ? script.columns() : Map.of();
        return shape.columns().stream()
                .map(ColumnRule::name)
                .filter(name -> !names.contains(name))
                .map(name -> Finding.error("column " + name + " is missing", addColumn(definitions.get(name))))
                .toList();
    }

    private String addColumn(ColumnDefinition definition) {
        return definition == null
                ? null
                : "ALTER TABLE " + table() + " "
                        + rules.map(TableRules::addColumn).orElse("ADD COLUMN") + " " + definition.name() + " "
                        + definition.text();
    }

    private List<Finding> missingRights(Connection conn, TableRules rules) throws SQLException {
        List<String> missing = rules.missingRights(conn, table());
        return missing.isEmpty() || missing.equals(NOT_NEEDED_TO_WRITE)
                ? List.of()
                : List.of(Finding.warning(
                        "this user has no right to " + String.join(", ", missing)
                                + ": events are written with INSERT, and delivered with SELECT and UPDATE",
                        "GRANT " + String.join(", ", missing) + " ON " + table() + " TO " + rules.grantee(conn)));
    }

    private List<Finding> missingKey(Connection conn, TableRules rules) throws SQLException {
        List<String> primaryKey = catalog.primaryKey(conn);
        Collection<List<String>> keys =
                shape.isOutbox() && !rules.acceptsUniqueIndex() ? List.of(primaryKey) : catalog.indexes(conn, true);
        if (keys.stream().anyMatch(this::isKey)) {
            return List.of();
        }
        String problem = shape.isOutbox()
                ? "event_id is not the primary key: an event could be there twice, and is not found by its id"
                : "(" + String.join(", ", shape.key()) + ") is not a key: the same could be there twice";
        return List.of(Finding.error(problem, rules.addKey(table(), primaryKey, shape.key())));
    }

    private boolean isKey(List<String> unique) {
        return shape.isOutbox()
                ? !unique.isEmpty() && shape.key().get(0).equals(unique.get(0))
                : unique.size() == shape.key().size() && unique.containsAll(shape.key());
    }

    private List<Finding> missingIndexes(Connection conn) throws SQLException {
        Collection<List<String>> present = catalog.indexes(conn, false);
        return script.indexes().stream()
                .filter(index -> present.stream().noneMatch(columns -> index.isServedBy(columns, shape.isOutbox())))
                .map(index -> Finding.warning(
                        "there is no index on (" + String.join(", ", index.columns()) + "): "
                                + PURPOSES.getOrDefault(
                                        IndexDefinition.leading(index.columns()), "statements take longer"),
                        index.statement()))
                .toList();
    }

    /** Returns whether there is such a table, whatever the catalog says. */
    private boolean isReadable(Connection conn) {
        try (Statement statement = conn.createStatement()) {
            statement.execute("SELECT 1 FROM " + table() + " WHERE 1 = 0");
            return true;
        } catch (SQLException e) {
            return false;
        }
    }

    private String table() {
        return catalog.tableName();
    }
}
