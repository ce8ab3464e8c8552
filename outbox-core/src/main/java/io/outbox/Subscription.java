package io.outbox;

import io.outbox.dispatch.LanePolicy;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A named listener's share of the events of one route: it gets a separate row for each event, written in the same
 * transaction, with its own attempts, retries and outcome, independent of other subscriptions. Immutable.
 *
 * <p>Declared to every outbox that writes such events ({@link Outbox.AbstractBuilder#subscription}), and given a
 * listener in every outbox that delivers them. The name stays the same for as long as the subscription does: it is
 * stored. Events written before a subscription was declared are not delivered to it. Rows left behind by one that was
 * removed go DEAD.
 *
 * @param name letters, digits, {@code .}, {@code _} and {@code -}; different for each subscription of a route
 * @param aggregateType the aggregate type of its events
 * @param eventType the type of its events, without {@code #}, or {@link EventType#ANY} for those of all types; then the
 * aggregate
 *     type may be {@link AggregateType#GLOBAL} for events of all of these, and there can be no lane
 * @param lane the lane that its rows have to themselves, or {@code null} for the lane that is shared
 */
public record Subscription(
        String name,
        String aggregateType,
        String eventType,
        @Nullable LanePolicy lane) {

    private static final char SEPARATOR = '#';
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]+");

    public Subscription {
        Objects.requireNonNull(name, "name");
        Check.notBlank(aggregateType, "aggregateType");
        Check.notBlank(eventType, "eventType");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The name of a subscription must consist of letters, digits, '.', '_' and '-': \"" + name + "\"");
        }
        if (eventType.indexOf(SEPARATOR) >= 0) {
            throw new IllegalArgumentException(
                    "An event type with '" + SEPARATOR + "' cannot have subscriptions: " + eventType);
        }
        if (lane != null && isToAny(eventType)) {
            throw new IllegalArgumentException("Subscription '" + name
                    + "' is to events of all types, and lanes are for one: it cannot have its own lane");
        }
        Check.atMost(
                stored(eventType, name),
                EventEnvelope.MAX_EVENT_TYPE,
                "event type and name of subscription \"" + name + "\", as stored (" + stored(eventType, name) + "),");
    }

    /** Returns a subscription to events of no particular aggregate type. */
    public static Subscription of(String name, String eventType) {
        return of(name, AggregateType.GLOBAL.name(), eventType);
    }

    public static Subscription of(String name, String aggregateType, String eventType) {
        return new Subscription(name, aggregateType, eventType, null);
    }

    /** Returns a subscription to events of no particular aggregate type. */
    public static Subscription of(String name, EventType eventType) {
        return of(name, AggregateType.GLOBAL, eventType);
    }

    public static Subscription of(String name, AggregateType aggregateType, EventType eventType) {
        return of(
                name,
                Objects.requireNonNull(aggregateType, "aggregateType").name(),
                Objects.requireNonNull(eventType, "eventType").name());
    }

    /** Returns the same subscription with its own lane. */
    public Subscription inLane(LanePolicy policy) {
        return new Subscription(name, aggregateType, eventType, Objects.requireNonNull(policy, "policy"));
    }

    /** Returns the event type that the rows of this subscription are stored with, by which they are counted, too. */
    public String storedEventType() {
        return stored(eventType, name);
    }

    /**
     * Returns the event that a stored row stands for, as a listener is shown it: with the type as written and the id of
     * the row. A row that is of no subscription stands for itself.
     */
    public static EventEnvelope eventOf(EventEnvelope row) {
        int separator = row.eventType().indexOf(SEPARATOR);
        boolean isOfSubscription = separator > 0 && !row.originId().equals(row.eventId());
        return isOfSubscription ? row.withEventType(row.eventType().substring(0, separator)) : row;
    }

    private static boolean isToAny(String eventType) {
        return EventType.ANY.name().equals(eventType);
    }

    private static String stored(String eventType, String name) {
        return eventType + SEPARATOR + name;
    }
}
