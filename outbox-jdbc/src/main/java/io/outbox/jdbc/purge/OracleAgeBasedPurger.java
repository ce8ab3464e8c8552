package io.outbox.jdbc.purge;

import io.outbox.model.EventStatus;
import java.util.List;

/**
 * Deletes events by their age, <em>whether they were delivered or not</em>: for writer-only use, where another program
 * reads the table or its log and nothing marks events as finished.
 */
public final class OracleAgeBasedPurger extends OracleEventPurger {

    public OracleAgeBasedPurger() {}

    public OracleAgeBasedPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected List<EventStatus> deletable() {
        return WHATEVER_BECAME_OF_THEM;
    }

    @Override
    protected List<Range> ranges(int status) {
        return rangesByAge(status, "status, ");
    }
}
