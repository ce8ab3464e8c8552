package io.outbox.internal.subscription;

import io.outbox.AggregateType;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.Subscription;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * What a writer knows of subscriptions: which rows an event becomes.
 *
 * <p>An event of a route with subscriptions is stored as one row for each of them, in the caller's transaction. From
 * then on nobody knows that the rows belong together: they are events like any other, with their own id, status,
 * attempts, lock and lane. So the engine, the stores, metrics, purge and dead letters have nothing to know of
 * subscriptions.
 *
 * <ul>
 *   <li><b>Type</b>: {@code <event type>#<name>}, with the aggregate type unchanged. Lanes, circuits and counts go by the
 *       type, and so does the listener, which is registered under the stored route.
 *   <li><b>Id</b>: made out of the event's id and the name ({@link RowIds}), always the same. So an event that is written
 *       again is refused as a duplicate, and rows sort by time where events do.
 *   <li><b>Origin</b>: the event's id travels in a header that nobody sees. A row is told by it ({@link EventRow}).
 *   <li><b>Plain row</b>: written as well if the route has a listener of its own, which is asked at each write. Without any
 *       subscription it is all there is. While listeners are still being registered, it is written as an {@linkplain
 *       EventEnvelope#asOptional() optional} event: a listener that comes in time gets it, and without one it is done.
 * </ul>
 *
 * <p>A subscription to {@linkplain EventType#ANY any type} adds a row to every event, unless the type has a
 * subscription of the same name, and has no say in whether the plain row is written: what nobody else receives is still
 * found to be without a listener.
 *
 * <p>Hooks change and suppress events before they become rows, and are told of rows afterwards. Interceptors and
 * completion listeners see rows. The listener sees the event: the type as written, the id of the row, because that is
 * what comes again after a failure, and the event's id as its {@linkplain EventEnvelope#originId() origin} ({@link
 * SubscribedListener}).
 *
 * <p>Nothing is recorded about who has subscribed. One that is added gets what is written from then on. The rows of one
 * that was removed find no listener and go DEAD, as unroutable events do.
 */
public final class Subscriptions {

    /** Leaves every event as it is. */
    public static final Subscriptions NONE =
            new Subscriptions(List.of(), (aggregateType, eventType) -> true, () -> true);

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** One subscription, and how its rows are named. */
    private record Share(Subscription subscription, RowIds ids) {

        private Share(Subscription subscription) {
            this(subscription, new RowIds(subscription.name()));
        }

        private String name() {
            return subscription.name();
        }

        /** Returns whether one to events of all types has this one. */
        private boolean takes(EventEnvelope event) {
            return !EventRow.isStoredType(event.eventType())
                    && (AggregateType.GLOBAL.name().equals(subscription.aggregateType())
                            || subscription.aggregateType().equals(event.aggregateType()));
        }

        private EventEnvelope of(EventEnvelope event) {
            return EventRow.of(event, ids.of(event.eventId()), name());
        }
    }

    private final Map<Route, List<Share>> shares = new HashMap<>();
    private final List<Share> ofAnyType = new ArrayList<>();
    private final BiPredicate<String, String> hasListener;
    private final BooleanSupplier areRegistered;
    /** The routes of events that were written for their subscriptions alone. */
    private final Set<Route> withoutListener = ConcurrentHashMap.newKeySet();

    /**
     * @param hasListener tells which routes (aggregate type, event type) have a listener beside their subscriptions
     * @param areRegistered tells whether a route that has no listener will not get one either
     */
    public Subscriptions(
            List<Subscription> declared, BiPredicate<String, String> hasListener, BooleanSupplier areRegistered) {
        this.hasListener = hasListener;
        this.areRegistered = areRegistered;
        for (Subscription subscription : declared) {
            List<Share> group = EventType.ANY.name().equals(subscription.eventType())
                    ? ofAnyType
                    : shares.computeIfAbsent(
                            new Route(subscription.aggregateType(), subscription.eventType()),
                            key -> new ArrayList<>());
            group.add(new Share(subscription));
        }
    }

    /** Returns the rows to write for the events, in their order. */
    public List<EventEnvelope> rowsOf(List<EventEnvelope> events) {
        if (shares.isEmpty() && ofAnyType.isEmpty()) {
            return events;
        }
        List<EventEnvelope> rows = new ArrayList<>(events.size());
        for (EventEnvelope event : events) {
            Route route = Route.of(event);
            List<Share> shared = shares.getOrDefault(route, List.of());
            // in this order: a listener is registered before it is said that all are
            boolean complete = areRegistered.getAsBoolean();
            if (shared.isEmpty() || hasListener(route)) {
                rows.add(event);
            } else if (!complete) {
                rows.add(event.asOptional());
            } else {
                withoutListener.add(route);
            }
            shared.forEach(share -> rows.add(share.of(event)));
            ofAnyType.stream()
                    .filter(share -> share.takes(event))
                    .filter(share -> shared.stream().noneMatch(own -> own.name().equals(share.name())))
                    .forEach(share -> rows.add(share.of(event)));
        }
        return List.copyOf(rows);
    }

    private boolean hasListener(Route route) {
        boolean has = hasListener.test(route.aggregateType(), route.eventType());
        if (has && !withoutListener.isEmpty() && withoutListener.remove(route)) {
            LOG.log(
                    Level.WARNING,
                    "The listener of {0} was registered too late: earlier events of this process were written for the"
                            + " subscriptions of that type alone, so this listener never gets them. Register it before"
                            + " delivery starts, or build the outbox with listenerElsewhere(...) for this type",
                    route);
        }
        return has;
    }

    /** Returns the refusal with the ids of events in place of those of their rows. */
    public static DuplicateEventException ofEvents(DuplicateEventException refusal, List<EventEnvelope> rows) {
        Map<String, String> origins =
                rows.stream().collect(Collectors.toMap(EventEnvelope::eventId, EventEnvelope::originId, (a, b) -> a));
        List<String> eventIds = refusal.eventIds().stream()
                .map(id -> origins.getOrDefault(id, id))
                .distinct()
                .toList();
        return eventIds.equals(refusal.eventIds()) ? refusal : new DuplicateEventException(eventIds, refusal);
    }
}
