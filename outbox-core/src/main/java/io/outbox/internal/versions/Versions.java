package io.outbox.internal.versions;

import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.Upcaster;
import io.outbox.WriterHook;
import io.outbox.internal.subscription.EventRow;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The versions of event types that this node knows: stamps what is written with the version of its type, and brings
 * what is delivered up to it. Immutable and thread-safe.
 *
 * <p>Types that nobody has given a version have version 1, which is not stored. The rows of subscriptions have the
 * version of the event that they stand for. An event under a former name of a type has a version of that type, unless
 * the former name has versions itself.
 */
public final class Versions implements WriterHook {

    /** Knows version 1 of every type. */
    public static final Versions NONE = new Versions(List.of(), Map.of());

    private static final int FIRST = 1;

    private final Map<String, Integer> latest = new HashMap<>();
    private final Map<String, Map<Integer, Upcaster>> steps = new HashMap<>();

    /**
     * @param stated the versions of event types that were told
     * @throws IllegalStateException if two upcasters begin at the same version, or one does not lead to the version of
     * its type
     */
    public Versions(Collection<Upcaster> upcasters, Map<String, Integer> stated) {
        upcasters.forEach(this::add);
        steps.forEach((type, ofType) -> latest.put(
                type,
                ofType.values().stream().mapToInt(Upcaster::toVersion).max().orElse(FIRST)));
        latest.putAll(stated);
        steps.forEach(
                (type, ofType) -> ofType.values().forEach(upcaster -> requireLeadsTo(latest.get(type), upcaster)));
    }

    private void add(Upcaster upcaster) {
        String type = upcaster.eventType();
        if (type == null || type.isBlank()) {
            throw new IllegalStateException(upcaster + " must have an event type");
        }
        if (upcaster.fromVersion() < FIRST || upcaster.toVersion() <= upcaster.fromVersion()) {
            throw new IllegalStateException(
                    name(upcaster) + " must lead from version 1 or a later one to one after that");
        }
        Upcaster other =
                steps.computeIfAbsent(type, key -> new TreeMap<>()).putIfAbsent(upcaster.fromVersion(), upcaster);
        if (other != null) {
            throw new IllegalStateException("There are two upcasters from version " + upcaster.fromVersion()
                    + " of event type '" + type + "', " + other + " and " + upcaster + ": remove one");
        }
    }

    private void requireLeadsTo(int version, Upcaster upcaster) {
        int reached = upcaster.toVersion();
        Map<Integer, Upcaster> ofType = steps.get(upcaster.eventType());
        while (reached < version && ofType.containsKey(reached)) {
            reached = ofType.get(reached).toVersion();
        }
        if (reached != version) {
            throw new IllegalStateException(
                    name(upcaster) + " leads to version " + reached + ", and the version of the type is "
                            + version + ": "
                            + (reached < version
                                    ? "add an upcaster from version " + reached
                                    : "correct the version of the type"));
        }
    }

    private static String name(Upcaster upcaster) {
        return "The upcaster of event type '" + upcaster.eventType() + "' from version " + upcaster.fromVersion()
                + " to " + upcaster.toVersion();
    }

    public boolean isEmpty() {
        return latest.isEmpty();
    }

    /** Stamps the events that state no version with that of their type. */
    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return events.stream().anyMatch(this::needsStamp)
                ? events.stream().map(this::stamped).toList()
                : events;
    }

    private boolean needsStamp(EventEnvelope event) {
        return !event.statesVersion() && latest.getOrDefault(EventRow.writtenType(event), FIRST) > FIRST;
    }

    private EventEnvelope stamped(EventEnvelope event) {
        return needsStamp(event)
                ? event.toBuilder()
                        .version(latest.get(EventRow.writtenType(event)))
                        .build()
                : event;
    }

    /**
     * Returns the event with its payload in the version of its type.
     *
     * @param currentType gives the name by which an event type goes today
     * @throws PayloadParseException if there is no way to this version
     */
    public EventEnvelope upToDate(EventEnvelope event, UnaryOperator<String> currentType) {
        if (latest.isEmpty() && event.version() == FIRST) {
            return event;
        }
        String written = EventRow.writtenType(event);
        String type = latest.containsKey(written) ? written : currentType.apply(written);
        int version = latest.getOrDefault(type, FIRST);
        if (event.version() > version) {
            throw new PayloadParseException("Event " + event.eventId() + " has version " + event.version()
                    + " of event type '" + type + "', and this node knows versions up to " + version
                    + ": deploy code that knows it, then replay the event if it is DEAD");
        }
        EventEnvelope current = event;
        while (current.version() < version && !event.isTombstone()) {
            Upcaster next = steps.getOrDefault(type, Map.of()).get(current.version());
            if (next == null) {
                throw new PayloadParseException("Event " + event.eventId() + " has version " + current.version()
                        + " of event type '" + type + "', whose version is " + version
                        + ", and there is no upcaster from "
                        + current.version() + ": add one, then replay the event if it is DEAD");
            }
            current = upcast(current, next);
        }
        return current;
    }

    private static EventEnvelope upcast(EventEnvelope event, Upcaster upcaster) {
        try {
            return event.isBinary()
                    ? event.upcastTo(upcaster.toVersion(), upcaster.upcast(event.payloadBytes()))
                    : event.upcastTo(upcaster.toVersion(), upcaster.upcast(event.payloadJson()));
        } catch (Exception e) {
            throw new PayloadParseException(
                    name(upcaster) + " failed with event " + event.eventId() + " ("
                            + e.getClass().getName() + "): correct it, then replay the event if it is DEAD",
                    e);
        }
    }
}
