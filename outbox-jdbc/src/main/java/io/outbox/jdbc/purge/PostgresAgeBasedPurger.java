package io.outbox.jdbc.purge;

/** The {@link PostgresEventPurger} under its other name: it deletes by age, for writer-only use as for any other. */
public final class PostgresAgeBasedPurger extends PostgresEventPurger {

    public PostgresAgeBasedPurger() {}

    public PostgresAgeBasedPurger(String tableName) {
        super(tableName);
    }
}
