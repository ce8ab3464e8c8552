package io.outbox.redis;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Events in the replies of scripts. */
final class EventRows {

    static final int VALUES = 7;
    private static final Comparator<DueEvent> CREATION_ORDER = Comparator.comparing(
            DueEvent::event, Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId));

    private EventRows() {}

    /** Reads the events that begin at a place of the reply, in the order of the reply. */
    static List<DueEvent> read(List<Object> reply, int first) {
        List<DueEvent> events = new ArrayList<>((reply.size() - first) / VALUES);
        for (int i = first; i < reply.size(); i += VALUES) {
            events.add(readOne(reply, i));
        }
        return events;
    }

    /** Reads the event that begins at a place of the reply. */
    static DueEvent readOne(List<Object> reply, int at) {
        return new DueEvent(event(reply.subList(at, at + VALUES)), (String) reply.get(at + 5));
    }

    static List<DueEvent> readInOrderOfCreation(List<Object> reply, int first) {
        List<DueEvent> events = read(reply, first);
        events.sort(CREATION_ORDER);
        return events;
    }

    private static OutboxEvent event(List<Object> values) {
        EventBody body = EventBody.decode((String) values.get(6));
        return new OutboxEvent(
                (String) values.get(0),
                (String) values.get(1),
                body.aggregateType(),
                body.aggregateId(),
                body.tenantId(),
                body.payload(),
                body.headers(),
                ((Long) values.get(4)).intValue(),
                Micros.fromSortable((String) values.get(2)),
                Micros.instant((Long) values.get(3)));
    }
}
