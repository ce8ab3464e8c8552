package io.outbox.inbox;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.ManagedTable;
import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The table of consumed events: its DDL, its creation and its validation. The same DDL is in the resources
 * {@code schema/<database>-inbox.sql}, for Flyway in {@code schema/flyway-inbox/<database>} and for Liquibase in
 * {@code schema/liquibase/outbox-inbox.xml}.
 */
public final class InboxSchema {

    /** The version of the DDL, which the scripts name too. */
    public static final int VERSION = 1;

    /** The table that is used unless another is named. */
    public static final String DEFAULT_TABLE = "outbox_consumed_event";

    private static final ManagedTable.Description DESCRIPTION = new ManagedTable.Description(
            "table of consumed events",
            InboxSchema.class,
            "-inbox",
            DEFAULT_TABLE,
            "JdbcInbox.createSchema() or by schema/%1$s-inbox.sql in the outbox-inbox jar (version " + VERSION
                    + "; for Flyway in classpath:schema/flyway-inbox/%1$s, for Liquibase in"
                    + " schema/liquibase/outbox-inbox.xml)");

    private static final String DISTINCT =
            "SELECT COUNT(*) FROM (SELECT %1$s AS id FROM %2$s WHERE 1 = 0 UNION SELECT 'a'%3$s UNION SELECT 'A'%3$s) ids";

    private final ConnectionProvider connections;
    private final AbstractJdbcOutboxStore store;
    private final String tableName;
    private final ManagedTable table;

    InboxSchema(ConnectionProvider connections, AbstractJdbcOutboxStore store, String tableName) {
        this.connections = connections;
        this.store = store;
        this.tableName = tableName;
        this.table = store.table(DESCRIPTION, tableName);
    }

    /** Returns the DDL statements for this database and table. */
    public List<String> statements() {
        return table.statements();
    }

    /** Creates the table and its index where they are missing; see {@link ManagedTable#createIfMissing}. */
    public InboxSchema createIfMissing() {
        table.createIfMissing(connections);
        return this;
    }

    /**
     * Checks that the table has the columns and the key, without which events would have their effect twice, that what
     * is written fits, and that ids and names are told apart by case; see {@link ManagedTable#validate}.
     *
     * @throws OutboxStoreException if the table cannot be used, with all that is wrong and the statements that mend it
     */
    public InboxSchema validate() {
        table.validate(connections);
        try (Connection conn = connections.getConnection()) {
            for (String column : List.of("consumer", "event_id")) {
                requireCases(conn, column);
            }
            return this;
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "Cannot check the table of consumed events " + tableName + ": " + e.getMessage(), e);
        }
    }

    /** Lets the database compare by the rules of the column, whatever it calls them. */
    private void requireCases(Connection conn, String column) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet counted =
                        statement.executeQuery(DISTINCT.formatted(column, tableName, store.fromNothing()))) {
            counted.next();
            if (counted.getInt(1) != 2) {
                throw new OutboxStoreException("The table of consumed events " + tableName + " cannot be used: column "
                        + column + " takes a and A for the same, so that events would be skipped as consumed that were"
                        + " not. Give it the collation of the script");
            }
        }
    }
}
