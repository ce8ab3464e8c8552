package io.outbox.redis;

import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.Lease;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Events in the replies of scripts. */
final class EventRows {

    static final int VALUES = 7;
    private static final int STATE_VALUES = 9;
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

    /** Reads where events stand; aggregate and tenant are in the bodies, which are not read. */
    static List<InspectedEvent> readStates(List<Object> reply) {
        List<InspectedEvent> events = new ArrayList<>(reply.size() / STATE_VALUES);
        for (int i = 0; i < reply.size(); i += STATE_VALUES) {
            List<Object> values = reply.subList(i, i + STATE_VALUES);
            EventStatus status = EventStatus.fromCode(((Long) values.get(6)).intValue());
            String holder = (String) values.get(7);
            Instant time = Micros.instant((String) values.get(8));
            events.add(new InspectedEvent(
                    event(values, EventBody.decode(null)),
                    status,
                    status == EventStatus.DONE ? time : null,
                    (String) values.get(5),
                    lock(holder, time)));
        }
        return events;
    }

    private static InspectedEvent.@Nullable Lock lock(@Nullable String holder, Instant since) {
        String node = Lease.nodeOf(holder);
        return node == null ? null : new InspectedEvent.Lock(node, since);
    }

    private static OutboxEvent event(List<Object> values) {
        return event(values, EventBody.decode((String) values.get(6)));
    }

    @SuppressWarnings("NullAway") // a damaged entry may lack what an event has
    private static OutboxEvent event(List<Object> values, EventBody body) {
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
