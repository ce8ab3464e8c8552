package io.outbox.jdbc;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The outbox table of a database: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/h2.sql}, {@code schema/postgresql.sql}, {@code schema/mysql.sql} and {@code schema/mariadb.sql}, for
 * teams that create tables with a migration tool.
 */
public final class OutboxSchema {

    /** The version of the DDL. */
    public static final int VERSION = 1;

    private static final Set<String> COLUMNS = Set.of(
            "event_id",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "tenant_id",
            "payload",
            "headers",
            "status",
            "attempts",
            "available_at",
            "created_at",
            "done_at",
            "last_error",
            "locked_by",
            "locked_at");

    private final DataSource dataSource;
    private final AbstractJdbcOutboxStore store;
    private final String tableName;

    private OutboxSchema(DataSource dataSource, AbstractJdbcOutboxStore store, String tableName) {
        this.dataSource = dataSource;
        this.store = store;
        this.tableName = tableName;
    }

    /** Returns the schema for the default table. */
    public static OutboxSchema of(DataSource dataSource) {
        return of(dataSource, TableNames.DEFAULT_TABLE);
    }

    /** Returns the schema for a table, which may be qualified by its schema. */
    public static OutboxSchema of(DataSource dataSource, String tableName) {
        Objects.requireNonNull(dataSource, "dataSource");
        return new OutboxSchema(dataSource, JdbcOutboxStores.detect(dataSource), TableNames.validate(tableName));
    }

    /** Returns the DDL statements for this database and table. */
    public List<String> statements() {
        return script("");
    }

    private List<String> script(String suffix) {
        String script = read("/schema/" + (store.name().equals("tidb") ? "mysql" : store.name()) + suffix + ".sql")
                .lines()
                .filter(line -> !line.strip().startsWith("--"))
                .collect(Collectors.joining("\n"))
                .replaceAll("\\b" + TableNames.DEFAULT_TABLE + "_", TableNames.simpleName(tableName) + "_")
                .replaceAll("\\b" + TableNames.DEFAULT_TABLE + "\\b", tableName);
        return Arrays.stream(script.split(";"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    private static String read(String resource) {
        try (InputStream in = OutboxSchema.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new OutboxStoreException("There is no DDL for this database (resource " + resource
                        + "): create the table by hand, after the model of the others");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates the table and its indexes where they are missing. Several nodes may do so at the same time. A user who may
     * not create anything passes if there is nothing to create.
     */
    public OutboxSchema createIfMissing() {
        return createUnless(this::isValid, statements());
    }

    private boolean isValid() {
        try {
            validate();
            return true;
        } catch (OutboxStoreException e) {
            return false;
        }
    }

    /**
     * Creates the index by which event types with a lane of their own find their events, unless the table has it. The
     * script is in the resources {@code schema/*-lanes.sql}.
     */
    public OutboxSchema createLaneIndexIfMissing() {
        return hasLaneIndex() ? this : createUnless(this::hasLaneIndex, script("-lanes"));
    }

    /** Returns whether the table has the index by which event types with a lane of their own find their events. */
    public boolean hasLaneIndex() {
        return withConnection(conn -> indexes(conn).values().stream()
                .anyMatch(index -> index.subList(0, Math.min(2, index.size())).contains("event_type")
                        && index.contains("available_at")));
    }

    /** Runs the statements; a failure stands only if what they are for is not there nevertheless. */
    private OutboxSchema createUnless(BooleanSupplier present, List<String> statements) {
        try {
            return create(statements);
        } catch (OutboxStoreException e) {
            if (!present.getAsBoolean()) {
                throw e;
            }
            return this;
        }
    }

    private OutboxSchema create(List<String> statements) {
        return withConnection(conn -> {
            conn.setAutoCommit(true);
            for (String sql : statements) {
                createOne(conn, sql);
            }
            return this;
        });
    }

    /** Runs one statement; a failure stands only if it was not another node that created the same thing meanwhile. */
    private static void createOne(Connection conn, String sql) throws SQLException {
        try (Statement statement = conn.createStatement()) {
            statement.execute(sql);
        } catch (SQLException first) {
            try (Statement again = conn.createStatement()) {
                again.execute(sql);
            } catch (SQLException second) {
                second.addSuppressed(first);
                throw second;
            }
        }
    }

    /**
     * Checks that the table has every column that is needed, and an index to find pending events by.
     *
     * @throws OutboxStoreException if not, saying what is missing and how to mend it
     */
    public OutboxSchema validate() {
        List<String> problems = withConnection(this::problems);
        if (!problems.isEmpty()) {
            throw new OutboxStoreException("The outbox table " + tableName + " cannot be used: "
                    + String.join("; ", problems) + ". Create it with OutboxSchema.createIfMissing() or from schema/"
                    + store.name() + ".sql in the outbox-jdbc jar");
        }
        return this;
    }

    private List<String> problems(Connection conn) throws SQLException {
        Set<String> present = columns(conn);
        if (present.isEmpty()) {
            return List.of("it does not exist");
        }
        List<String> problems = new ArrayList<>();
        Set<String> missing = new TreeSet<>(COLUMNS);
        missing.removeAll(present);
        if (!missing.isEmpty()) {
            problems.add("missing columns " + missing);
        }
        boolean indexed = indexes(conn).values().stream()
                .anyMatch(index -> index.get(0).equals("available_at")
                        || (index.size() > 1
                                && index.get(0).equals("status")
                                && index.get(1).equals("available_at")));
        if (!indexed) {
            problems.add("missing index to find pending events by (status, available_at, created_at)");
        }
        return problems;
    }

    private Set<String> columns(Connection conn) throws SQLException {
        Location table = location(conn);
        Set<String> columns = new TreeSet<>();
        try (ResultSet rows = conn.getMetaData().getColumns(table.catalog, table.schema, table.name, null)) {
            while (rows.next()) {
                columns.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
            }
        }
        return columns;
    }

    /** Returns the columns of each index, in order. */
    private Map<String, List<String>> indexes(Connection conn) throws SQLException {
        Location table = location(conn);
        Map<String, List<String>> indexes = new TreeMap<>();
        try (ResultSet rows = conn.getMetaData().getIndexInfo(table.catalog, table.schema, table.name, false, true)) {
            while (rows.next()) {
                String column = rows.getString("COLUMN_NAME");
                if (column != null) {
                    indexes.computeIfAbsent(rows.getString("INDEX_NAME"), name -> new ArrayList<>())
                            .add(column.toLowerCase(Locale.ROOT));
                }
            }
        }
        return indexes;
    }

    /** Where the driver's metadata has the table. */
    private record Location(String catalog, String schema, String name) {}

    private Location location(Connection conn) throws SQLException {
        DatabaseMetaData metaData = conn.getMetaData();
        String simple = stored(metaData, TableNames.simpleName(tableName));
        boolean qualified = tableName.indexOf('.') >= 0;
        String qualifier = qualified ? stored(metaData, tableName.substring(0, tableName.indexOf('.'))) : null;
        boolean schemaIsCatalog =
                store.jdbcUrlPrefixes().isEmpty() || store.name().matches("mysql|mariadb|tidb");
        if (schemaIsCatalog) {
            return new Location(qualified ? qualifier : conn.getCatalog(), null, simple);
        }
        return new Location(conn.getCatalog(), qualified ? qualifier : conn.getSchema(), simple);
    }

    /** Returns an unquoted identifier in the case in which the database keeps it. */
    private static String stored(DatabaseMetaData metaData, String identifier) throws SQLException {
        if (metaData.storesUpperCaseIdentifiers()) {
            return identifier.toUpperCase(Locale.ROOT);
        }
        return metaData.storesLowerCaseIdentifiers() ? identifier.toLowerCase(Locale.ROOT) : identifier;
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
            throw new OutboxStoreException(
                    "Cannot create or check the outbox table " + tableName + ": " + e.getMessage(), e);
        }
    }
}
