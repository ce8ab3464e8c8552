package io.outbox.jdbc.purge;

import java.util.List;

/** The purger for H2, whose indexes begin with the rows that have no end time: ranges with one begin behind those. */
public class H2EventPurger extends AbstractJdbcEventPurger {

    private static final String ENDED = "done_at > TIMESTAMP '0001-01-01 00:00:00' AND done_at < ?";

    public H2EventPurger() {}

    public H2EventPurger(String tableName) {
        super(tableName);
    }

    @Override
    protected List<Range> ranges(int status) {
        return super.ranges(status).stream()
                .map(range -> new Range(range.condition().replace("done_at < ?", ENDED), range.order()))
                .toList();
    }
}
