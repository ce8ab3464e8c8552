package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.KeyColumnCheck;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The columns and indexes by which events of one key keep their order: {@code schema/<database>-keyed.sql}. Immutable
 * and thread-safe.
 */
public final class KeyColumns {

    private static final Set<String> COLUMNS = Set.of("order_key", "order_seq");

    private final TableCatalog catalog;
    private final SchemaScript script;
    private final KeyColumnCheck check;
    private final String keyColumn;
    private final Set<String> namedIndexes;
    private final LockTable locks;
    private final Function<Connection, Optional<Finding>> numbers;

    /**
     * @param check how the table is and should be
     * @param keyColumn the column with the key of unfinished events, by which the index begins
     * @param namedIndexes the indexes that statements name
     * @param locks the table of the locks of writers, or {@code null} if there is none
     * @param numbers finds out why the database would not number events in the order of their inserts
     */
    KeyColumns(
            KeyColumnCheck check,
            String keyColumn,
            Set<String> namedIndexes,
            LockTable locks,
            Function<Connection, Optional<Finding>> numbers) {
        this.catalog = check.catalog();
        this.script = check.script();
        this.check = check;
        this.keyColumn = keyColumn;
        this.namedIndexes = namedIndexes;
        this.locks = locks;
        this.numbers = numbers;
    }

    /** Returns whether there is a script for the database. */
    boolean canBeCreated() {
        return script.hasKeyed();
    }

    /** Returns whether the table has the columns, by their names. */
    public boolean areColumnsPresent(Connection conn) throws SQLException {
        Set<String> columns = catalog.columnNames(conn);
        return columns.containsAll(COLUMNS) && columns.contains(keyColumn);
    }

    /** Returns whether the table has columns and indexes, and its table of locks is there, by their names. */
    public boolean arePresent(Connection conn) throws SQLException {
        return areColumnsPresent(conn) && (locks == null || locks.isPresent(conn)) && areIndexesPresent(conn);
    }

    private boolean areIndexesPresent(Connection conn) throws SQLException {
        Map<String, List<String>> indexes = catalog.indexesByName(conn, false);
        return indexes.keySet().containsAll(namedIndexes)
                && indexes.values().stream()
                        .anyMatch(index ->
                                index.size() >= 2 && index.subList(0, 2).equals(List.of(keyColumn, "order_seq")));
    }

    /**
     * Creates columns and index in auto-commit mode where they are missing; a failure stands only if they still are.
     */
    public void createIfMissing(Connection conn) throws SQLException {
        if (!arePresent(conn) || missingLocks(conn).isPresent()) {
            create(conn);
        }
    }

    /** As {@link #createIfMissing}, for a table that needs no index. */
    public void createColumnsIfMissing(Connection conn) throws SQLException {
        if (!areColumnsPresent(conn)) {
            create(conn);
        }
    }

    private void create(Connection conn) throws SQLException {
        try {
            SchemaScript.run(conn, script.keyed());
        } catch (SQLException e) {
            if (!areColumnsPresent(conn)) {
                throw e;
            }
        }
    }

    /**
     * @throws OutboxSchemaException if columns, index or locks are missing, if columns would refuse keys or take them
     * for
     *     each other, or if events are not numbered in order, with the statements that mend it
     */
    public void require(Connection conn) throws SQLException {
        if (!arePresent(conn)) {
            throw missing(
                    "the columns order_key and order_seq, their "
                            + (namedIndexes.isEmpty()
                                    ? "index"
                                    : "index, one of the indexes " + String.join(" and ", new TreeSet<>(namedIndexes)))
                            + (locks == null ? "" : " or the table " + locks.name()) + " are missing",
                    "OutboxSchema.createKeyedIfMissing()");
        }
        List<Finding> errors = new ArrayList<>(check.errors(conn));
        missingLocks(conn).ifPresent(errors::add);
        numbers.apply(conn).ifPresent(errors::add);
        requireNone(errors);
    }

    private Optional<Finding> missingLocks(Connection conn) {
        return locks == null ? Optional.empty() : locks.missingRows(conn);
    }

    private void requireNone(List<Finding> errors) {
        if (!errors.isEmpty()) {
            throw new OutboxSchemaException(
                    "The table " + catalog.tableName() + " cannot keep the order of keys:"
                            + errors.stream().map(error -> "\n- " + error).collect(Collectors.joining())
                            + "\nHow it should be is in schema/" + script.name() + "-keyed.sql in the outbox-jdbc jar",
                    catalog.tableName(),
                    false,
                    errors.stream()
                            .map(Finding::remedy)
                            .filter(Objects::nonNull)
                            .toList());
        }
    }

    /** @throws OutboxSchemaException if columns are missing or wrong, with the statements that mend them */
    public void requireColumns(Connection conn, String remedy) throws SQLException {
        if (!areColumnsPresent(conn)) {
            throw missing("the columns order_key and order_seq are missing", remedy);
        }
        requireNone(check.errors(conn));
    }

    private OutboxSchemaException missing(String what, String remedy) {
        return new OutboxSchemaException(
                "The table " + catalog.tableName() + " cannot keep the order of keys: " + what + ". Add them with "
                        + remedy + " or by schema/" + script.name() + "-keyed.sql in the outbox-jdbc jar",
                catalog.tableName(),
                false,
                script.keyed());
    }
}
