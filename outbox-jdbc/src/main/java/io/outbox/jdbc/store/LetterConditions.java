package io.outbox.jdbc.store;

import io.outbox.model.DlqStatus;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.EventFilter;

/**
 * A {@link DeadLetterFilter} for letters of one state, in two parts.
 *
 * @param range what an index finds: state, type, kind of failure of a type, time of creation
 * @param rest what has to be asked of each letter in that range; empty if nothing has
 */
record LetterConditions(Conditions range, Conditions rest) {

    /** Returns the conditions for letters that follow a place, or for all if that is {@code null}. */
    static LetterConditions of(DeadLetterFilter filter, DlqStatus state, DeadCursor after) {
        EventFilter events = filter.events();
        boolean hasType = events.scope().eventType() != null;
        Conditions range = new Conditions()
                .and("status = " + state.code())
                .and("event_type = ?", events.scope().eventType())
                .and("fingerprint = ?", hasType ? filter.fingerprint() : null)
                .and("created_at >= ?", events.from())
                .and("created_at < ?", events.to());
        if (after != null) {
            range.and(DeadCursor.FOLLOWS, after.params());
        }
        Conditions rest = new Conditions()
                .and("fingerprint = ?", hasType ? null : filter.fingerprint())
                .and("aggregate_type = ?", events.scope().aggregateType())
                .and("aggregate_id = ?", events.scope().aggregateId())
                .and("tenant_id = ?", events.scope().tenantId())
                .andErrorHas(events.errorText());
        return new LetterConditions(range, rest);
    }
}
