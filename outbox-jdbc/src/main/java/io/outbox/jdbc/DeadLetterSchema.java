package io.outbox.jdbc;

import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.store.ManagedTable;
import io.outbox.spi.ConnectionProvider;
import io.outbox.store.Connections;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The tables of dead letters and of failed attempts: their DDL, their creation and their validation. The same DDL is in
 * the resources {@code schema/<database>-dlq.sql} and {@code schema/<database>-dlq-attempts.sql}, for Flyway in {@code
 * schema/flyway-dlq/<database>} and for Liquibase in {@code schema/liquibase/outbox-dlq.xml}.
 */
public final class DeadLetterSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 1;

    private static final String ATTEMPTS = "_attempt";

    private final ConnectionProvider connections;
    private final List<ManagedTable> tables;
    private final DeadLetterStore store;

    private DeadLetterSchema(DataSource dataSource, DeadLetterStore store) {
        this.connections = new DataSourceConnectionProvider(Objects.requireNonNull(dataSource, "dataSource"));
        this.store = store;
        this.tables = List.of(
                table(store, "table of dead letters", "-dlq", ""),
                table(store, "table of failed attempts", "-dlq-attempts", ATTEMPTS));
    }

    private static ManagedTable table(DeadLetterStore letters, String title, String script, String suffix) {
        ManagedTable.Description description = new ManagedTable.Description(
                title,
                DeadLetterSchema.class,
                script,
                DeadLetterStore.DEFAULT_TABLE + suffix,
                "DeadLetterSchema.createIfMissing() or by schema/%1$s" + script
                        + ".sql in the outbox-jdbc jar (version " + VERSION
                        + "; for Flyway in classpath:schema/flyway-dlq/%1$s, for Liquibase in"
                        + " schema/liquibase/outbox-dlq.xml)");
        return letters.outboxStore().table(description, letters.tableName() + suffix);
    }

    /** Returns the schema for the tables of a store with dead letters. */
    public static DeadLetterSchema of(DataSource dataSource, DeadLetterStore store) {
        return new DeadLetterSchema(dataSource, store);
    }

    /** Returns the DDL statements for this database and these tables. */
    public List<String> statements() {
        return tables.stream().flatMap(table -> table.statements().stream()).toList();
    }

    /** Creates the tables and their indexes where they are missing; see {@link ManagedTable#createIfMissing}. */
    public DeadLetterSchema createIfMissing() {
        tables.forEach(table -> table.createIfMissing(connections));
        return this;
    }

    /**
     * Adds the columns by which a letter comes back to its place in the order of its key, unless the table of dead
     * letters has them. The script is in the resources {@code schema/*-dlq-keyed.sql}.
     */
    public DeadLetterSchema createKeyedIfMissing() {
        new Connections(connections).with(conn -> {
            try {
                store.orderColumns().createColumnsIfMissing(conn);
                return true;
            } catch (SQLException e) {
                throw new OutboxStoreException("Cannot add columns to " + store.tableName() + ": " + e.getMessage(), e);
            }
        });
        return this;
    }

    /**
     * Checks that both tables take what is written to them; see {@link ManagedTable#validate}.
     *
     * @throws OutboxSchemaException if letters would be refused, cut or changed, with all that is wrong with a table
     * and the
     *     statements that mend it
     */
    public DeadLetterSchema validate() {
        tables.forEach(table -> table.validate(connections));
        return this;
    }
}
