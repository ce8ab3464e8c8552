package io.outbox.jdbc.internal;

import io.outbox.EventEnvelope;
import io.outbox.spi.Outcome;
import java.util.List;

/**
 * What a column of the outbox table has to be able to take.
 *
 * @param name the column
 * @param kind the kind of values
 * @param length how many characters it has to take at least
 * @param getsNull whether delivery writes {@code NULL} into it
 */
record ColumnRule(String name, Kind kind, long length, boolean getsNull) {

    /** The kinds of values, each with what goes wrong in a column that cannot take them. */
    enum Kind {
        KEY("ids and names would be refused, cut or padded"),
        DOCUMENT("text would be refused, cut or changed"),
        REASON("outcomes with a long reason would be refused"),
        STATUS("statuses would be refused"),
        COUNT("attempts above 127 would be refused"),
        TIME("due times and leases, UTC to the microsecond, would be refused or changed");

        private final String consequence;

        Kind(String consequence) {
            this.consequence = consequence;
        }

        String consequence() {
            return consequence;
        }
    }

    /** Headers have no limit of their own; this is room for what applications use them for. */
    private static final long USUAL_HEADERS = 4000;

    static final List<ColumnRule> ALL = List.of(
            new ColumnRule("event_id", Kind.KEY, 36, false),
            new ColumnRule("event_type", Kind.KEY, 128, false),
            new ColumnRule("aggregate_type", Kind.KEY, 64, false),
            new ColumnRule("aggregate_id", Kind.KEY, 128, true),
            new ColumnRule("tenant_id", Kind.KEY, 64, true),
            new ColumnRule("payload", Kind.DOCUMENT, EventEnvelope.MAX_PAYLOAD_BYTES, false),
            new ColumnRule("headers", Kind.DOCUMENT, USUAL_HEADERS, true),
            new ColumnRule("status", Kind.STATUS, 0, false),
            new ColumnRule("attempts", Kind.COUNT, 0, false),
            new ColumnRule("available_at", Kind.TIME, 0, false),
            new ColumnRule("created_at", Kind.TIME, 0, false),
            new ColumnRule("done_at", Kind.TIME, 0, true),
            new ColumnRule("last_error", Kind.REASON, Outcome.MAX_ERROR_LENGTH, true),
            new ColumnRule("locked_by", Kind.KEY, 128, true),
            new ColumnRule("locked_at", Kind.TIME, 0, true));
}
