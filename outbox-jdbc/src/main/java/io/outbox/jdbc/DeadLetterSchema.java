package io.outbox.jdbc;

import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The tables of dead letters and of failed attempts: their DDL, their creation and their validation. The same DDL is in the
 * resources {@code schema/<database>-dlq.sql} and {@code schema/<database>-dlq-attempts.sql}, for Flyway in
 * {@code schema/flyway-dlq/<database>} and for Liquibase in {@code schema/liquibase/outbox-dlq.xml}.
 */
public final class DeadLetterSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 1;

    private static final String ATTEMPTS = "_attempt";

    private final DataSource dataSource;
    private final List<Table> tables;

    private record Table(TableCatalog catalog, SchemaScript script) {}

    private DeadLetterSchema(DataSource dataSource, DeadLetterStore store) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.tables = List.of(table(store, "-dlq", ""), table(store, "-dlq-attempts", ATTEMPTS));
    }

    private static Table table(DeadLetterStore letters, String script, String suffix) {
        AbstractJdbcOutboxStore store = letters.outboxStore();
        String name = letters.tableName() + suffix;
        return new Table(
                new TableCatalog(name, store.isSchemaCatalog()),
                new SchemaScript(
                        DeadLetterSchema.class,
                        store.schemaScript() + script,
                        DeadLetterStore.DEFAULT_TABLE + suffix,
                        name));
    }

    /** Returns the schema for the tables of a store with dead letters. */
    public static DeadLetterSchema of(DataSource dataSource, DeadLetterStore store) {
        return new DeadLetterSchema(dataSource, store);
    }

    /** Returns the DDL statements for this database and these tables. */
    public List<String> statements() {
        return tables.stream().flatMap(table -> table.script.table().stream()).toList();
    }

    /**
     * Creates the tables and their indexes where they are missing. Several nodes may do so at the same time. A user who may
     * not create anything passes if the tables are there.
     */
    public DeadLetterSchema createIfMissing() {
        try {
            return withConnection(conn -> {
                conn.setAutoCommit(true);
                if (!problems(conn).isEmpty()) {
                    SchemaScript.run(conn, statements());
                }
                return this;
            });
        } catch (OutboxStoreException e) {
            return validateAfter(e);
        }
    }

    private DeadLetterSchema validateAfter(OutboxStoreException failure) {
        try {
            return validate();
        } catch (OutboxStoreException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /**
     * Checks that both tables have every column. Tables that the database's catalog does not show, as those elsewhere on
     * the search path, do not pass.
     *
     * @throws OutboxStoreException if something is missing, with all of it and where to find the DDL
     */
    public DeadLetterSchema validate() {
        List<String> problems = withConnection(this::problems);
        if (!problems.isEmpty()) {
            throw new OutboxStoreException("Dead letters cannot be kept: " + String.join("; ", problems)
                    + ". Create the tables with DeadLetterSchema.createIfMissing() or by schema/"
                    + tables.get(0).script.name() + ".sql and schema/"
                    + tables.get(1).script.name() + ".sql in the outbox-jdbc jar (version " + VERSION
                    + "; for Flyway in classpath:schema/flyway-dlq, for Liquibase in schema/liquibase/outbox-dlq.xml)");
        }
        return this;
    }

    private List<String> problems(Connection conn) throws SQLException {
        List<String> problems = new ArrayList<>();
        for (Table table : tables) {
            problems.addAll(problems(conn, table).toList());
        }
        return problems;
    }

    private static Stream<String> problems(Connection conn, Table table) throws SQLException {
        Set<String> columns = table.catalog.columnNames(conn);
        String name = table.catalog.tableName();
        return columns.isEmpty()
                ? Stream.of("table " + name + " does not exist")
                : table.script.columns().keySet().stream()
                        .filter(column -> !columns.contains(column))
                        .map(column -> "column " + column + " of " + name + " is missing");
    }

    private interface ConnectionWork<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T withConnection(ConnectionWork<T> work) {
        try (Connection conn = dataSource.getConnection()) {
            boolean autoCommit = conn.getAutoCommit();
            try {
                return work.run(conn);
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot create or check the tables of dead letters: " + e.getMessage(), e);
        }
    }
}
