package io.outbox.jdbc.purge;

/** The purger for MySQL, MariaDB and TiDB. */
public class MySqlEventPurger extends AbstractJdbcEventPurger {

    public MySqlEventPurger() {}

    public MySqlEventPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected String deleteSql(Range range) {
        return "DELETE FROM " + tableName() + " WHERE " + range.condition() + " ORDER BY " + range.order() + " LIMIT ?";
    }
}
