package io.outbox.jdbc.purge;

/** The purger for H2. */
public class H2EventPurger extends AbstractJdbcEventPurger {

    public H2EventPurger() {}

    public H2EventPurger(String tableName) {
        super(tableName);
    }
}
