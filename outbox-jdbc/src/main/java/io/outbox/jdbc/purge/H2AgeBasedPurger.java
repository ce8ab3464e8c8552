package io.outbox.jdbc.purge;

/** The {@link H2EventPurger} under its other name: it deletes by age, for writer-only use as for any other. */
public final class H2AgeBasedPurger extends H2EventPurger {

    public H2AgeBasedPurger() {}

    public H2AgeBasedPurger(String tableName) {
        super(tableName);
    }
}
