package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.SQLException;

/** The purger for MySQL, MariaDB and TiDB. */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

    public MySqlEventPurger() {}

    public MySqlEventPurger(String tableName) {
        super(tableName);
    }

    /** Keeps the delete from locking the gaps into which the application inserts new events. */
    @Override
    protected void beforeDelete(Connection conn) {
        try {
            if (conn.getAutoCommit()) {
                JdbcTemplate.update(conn, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            }
        } catch (SQLException e) {
            throw new OutboxStoreException("Purge failed: " + e.getMessage(), e);
        }
    }

    @Override
    protected String deleteSql(Range range) {
        return "DELETE FROM " + tableName() + " WHERE " + range.condition() + " ORDER BY " + range.order() + " LIMIT ?";
    }
}
