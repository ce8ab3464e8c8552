package io.outbox.jdbc.store;

import io.outbox.model.DlqStatus;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.EventFilter;

/**
 * A range of an index with dead events that may match a {@link DeadLetterFilter}.
 *
 * @param range what the index finds
 * @param rest what has to be asked of each event in that range; empty if nothing has
 * @param order the order of the index, which is that of creation within the range
 * @param hint what a planner needs to be told, right after SELECT, to take that index
 */
record DeadRange(Conditions range, Conditions rest, String order, String hint) {

    /**
     * Returns the letters of a state, by type, kind of failure of a type, and time of creation; all if {@code after} is
     * null.
     */
    static DeadRange ofLetters(DeadLetterFilter filter, DlqStatus state, DeadOrder order, DeadCursor after) {
        EventFilter events = filter.events();
        boolean hasType = events.scope().eventType() != null;
        String fingerprint = events.failure().fingerprint();
        Conditions range = new Conditions()
                .and("status = " + state.code())
                .and("event_type = ?", events.scope().eventType())
                .and("fingerprint = ?", hasType ? fingerprint : null);
        Conditions rest = new Conditions().and("fingerprint = ?", hasType ? null : fingerprint);
        return new DeadRange(
                created(range, events, order, after),
                about(rest, events),
                order.by("status, created_at, event_id"),
                "");
    }

    /** Returns the events of a part of the outbox table, of any kind of failure; all if {@code after} is null. */
    static DeadRange ofEvents(EventFilter events, Partition partition, DeadOrder order, DeadCursor after) {
        Conditions rest = new Conditions().and("event_type = ?", events.scope().eventType());
        return new DeadRange(
                created(new Conditions().and(partition.condition()), events, order, after),
                about(rest, events),
                order.by(partition.order()),
                partition.hint());
    }

    private static Conditions created(Conditions range, EventFilter events, DeadOrder order, DeadCursor after) {
        range.and("created_at >= ?", events.from()).and("created_at < ?", events.to());
        return after == null ? range : range.and(order.behind(), after.params());
    }

    private static Conditions about(Conditions rest, EventFilter events) {
        return rest.and("aggregate_type = ?", events.scope().aggregateType())
                .and("aggregate_id = ?", events.scope().aggregateId())
                .and("tenant_id = ?", events.scope().tenantId())
                .andErrorHas(events.failure().text());
    }
}
