package io.outbox.jdbc.purge;

/** The {@link MySqlEventPurger} under its other name: it deletes by age, for writer-only use as for any other. */
public final class MySqlAgeBasedPurger extends MySqlEventPurger {

    public MySqlAgeBasedPurger() {}

    public MySqlAgeBasedPurger(String tableName) {
        super(tableName);
    }
}
