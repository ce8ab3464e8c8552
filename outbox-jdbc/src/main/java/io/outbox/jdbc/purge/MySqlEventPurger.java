package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.ReadCommitted;
import java.sql.Connection;

/** The purger for MySQL, MariaDB and TiDB. */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

    private static final String DELETE = "DELETE FROM %s WHERE %s ORDER BY %s LIMIT ?";

    public MySqlEventPurger() {}

    public MySqlEventPurger(String tableName) {
        super(tableName);
    }

    /** Keeps the delete from locking the gaps into which the application inserts new events. */
    @Override
    protected void beforeDelete(Connection conn) {
        ReadCommitted.forNextTransaction(conn);
    }

    @Override
    protected String deleteSql(Range range) {
        return DELETE.formatted(tableName(), range.condition(), range.order());
    }
}
