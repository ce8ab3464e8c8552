package io.outbox.spring.boot.internal.listeners;

import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.internal.texts.OutboxedClasses;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Which event types listeners are for, and what the payload of each is.
 *
 * <p>A class that can be instantiated stands for itself. An interface or an abstract class stands for the classes that
 * are known to implement it, beside its own name, under which a codec may read one of them.
 */
final class ListenerTypes {

    private final UnaryOperator<String> placeholders;
    private final Collection<Class<?>> ofListeners;
    private final Supplier<Set<Class<?>>> ofApplication;

    /**
     * @param ofListeners the classes that listeners take
     * @param ofApplication finds the classes that the application publishes; asked if they are needed
     */
    ListenerTypes(
            UnaryOperator<String> placeholders,
            Collection<Class<?>> ofListeners,
            Supplier<Set<Class<?>>> ofApplication) {
        this.placeholders = placeholders;
        this.ofListeners = ofListeners;
        this.ofApplication = ofApplication;
    }

    /**
     * One event type of a listener.
     *
     * @param payload the class to read, or {@code null} for the one that the listener takes
     * @param supertype the type by which the listener takes these events, or {@code null} if it names them or their
     * class
     * @param standsForOthers whether the class is abstract and the events are of others, so that it need not be one to
     * read
     */
    record Target(ListenerRoute route, Class<?> payload, Class<?> supertype, boolean standsForOthers) {

        Target(ListenerRoute route, Class<?> payload, Class<?> supertype) {
            this(route, payload, supertype, false);
        }
    }

    /** @param taken the class of the payload that the listener takes, or {@code null} */
    List<Target> of(OutboxListener annotation, Class<?> taken) {
        String aggregateType = ListenerRoute.aggregateType(annotation, placeholders);
        String single = ListenerRoute.eventType(annotation, placeholders);
        List<String> several =
                Arrays.stream(annotation.eventTypes()).map(placeholders).toList();
        List<Class<?>> payloads = List.of(annotation.payloads());
        if (Stream.of(single != null, !several.isEmpty(), !payloads.isEmpty())
                        .filter(Boolean::booleanValue)
                        .count()
                > 1) {
            throw new IllegalStateException("@OutboxListener must have one of eventType, eventTypes and payloads");
        }
        Map<String, Target> targets = new LinkedHashMap<>();
        if (single != null || !several.isEmpty()) {
            (single != null ? List.of(single) : several)
                    .forEach(type -> add(targets, new Target(new ListenerRoute(aggregateType, type), null, null)));
        } else if (!payloads.isEmpty()) {
            payloads.forEach(payload -> {
                requireFits(payload, taken);
                ListenerRoute route = new ListenerRoute(aggregateType, typeOf(payload));
                add(targets, new Target(route, readAs(payload, taken), null));
            });
        } else {
            String own = taken == null ? null : OutboxedClasses.typeOf(taken);
            ListenerMistake.unless(
                    own != null,
                    "it does not declare its events"
                            + (taken == null ? "" : ": a " + taken.getName() + " has no event type"),
                    "Name the event type: @OutboxListener(eventType = \"OrderPlaced\"). Or take the class of the payload, whose name"
                            + " is the event type");
            Set<Class<?>> concrete = concrete(taken);
            ListenerRoute ownRoute = new ListenerRoute(aggregateType, placeholders.apply(own));
            add(targets, new Target(ownRoute, null, null, !concrete.isEmpty()));
            concrete.forEach(payload ->
                    add(targets, new Target(new ListenerRoute(aggregateType, typeOf(payload)), payload, taken)));
        }
        return List.copyOf(targets.values());
    }

    private static void add(Map<String, Target> targets, Target target) {
        Target other = targets.putIfAbsent(target.route.eventType(), target);
        if (other != null) {
            throw new IllegalStateException("it would take event type '" + target.route.eventType() + "' twice"
                    + (other.payload == null || target.payload == null
                            ? ""
                            : ", as " + other.payload.getName() + " and as " + target.payload.getName()
                                    + ": give one of them another type, by @Outboxed(type = …)"));
        }
    }

    private String typeOf(Class<?> payload) {
        String type = OutboxedClasses.typeOf(payload);
        if (type == null) {
            throw new IllegalStateException("the class " + payload.getName() + " does not have one event type: name the"
                    + " types of its events by eventTypes");
        }
        return placeholders.apply(type);
    }

    private static boolean isRaw(Class<?> taken) {
        return taken == null || taken == String.class || taken == byte[].class;
    }

    /** Text and bytes stay what they are. */
    private static Class<?> readAs(Class<?> payload, Class<?> taken) {
        return isRaw(taken) ? null : payload;
    }

    private static void requireFits(Class<?> payload, Class<?> taken) {
        if (!isRaw(taken) && !taken.isAssignableFrom(payload)) {
            throw new IllegalStateException(
                    "its parameter is a " + taken.getName() + ", which a " + payload.getName() + " of payloads is not");
        }
    }

    /** Returns the classes that an abstract type stands for; none if it can be instantiated. */
    private Set<Class<?>> concrete(Class<?> taken) {
        Set<Class<?>> found = new LinkedHashSet<>();
        List<Class<?>> open = new ArrayList<>();
        if (isAbstract(taken)) {
            permitted(taken, found, open);
        }
        if (!open.isEmpty()) {
            Stream.concat(ofListeners.stream(), ofApplication.get().stream())
                    .filter(known -> !isAbstract(known) && open.stream().anyMatch(type -> type.isAssignableFrom(known)))
                    .forEach(found::add);
        }
        return found;
    }

    /**
     * Adds the classes that a sealed type permits, and apart from them the abstract types that anybody may implement.
     */
    static void permitted(Class<?> type, Set<Class<?>> concrete, List<Class<?>> open) {
        if (type.isSealed()) {
            Arrays.stream(type.getPermittedSubclasses()).forEach(permitted -> permitted(permitted, concrete, open));
        }
        if (!isAbstract(type)) {
            concrete.add(type);
        } else if (!type.isSealed()) {
            open.add(type);
        }
    }

    private static boolean isAbstract(Class<?> type) {
        return Modifier.isAbstract(type.getModifiers()) && !type.isArray() && !type.isPrimitive();
    }

    /**
     * Returns those of the listeners that get events: of several for the same events, the one that names them, or else
     * the one with the most specific supertype.
     *
     * @throws ListenerRegistrationException if two are equally specific
     */
    static List<ListenerDefinition> mostSpecific(List<ListenerDefinition> all) {
        return all.stream()
                .filter(listener -> winsAmong(
                        listener, all.stream().filter(listener::isForTheSameAs).toList()))
                .toList();
    }

    private static boolean winsAmong(ListenerDefinition listener, List<ListenerDefinition> rivals) {
        Class<?> supertype = listener.source().supertype();
        if (supertype == null) {
            return true;
        }
        for (ListenerDefinition rival : rivals) {
            Class<?> others = rival.source().supertype();
            if (others == null || (others != supertype && supertype.isAssignableFrom(others))) {
                return false;
            }
        }
        rivals.stream()
                .filter(rival -> rival != listener
                        && !(rival.source().supertype() != supertype
                                && rival.source().supertype().isAssignableFrom(supertype)))
                .findFirst()
                .ifPresent(rival -> {
                    throw new ListenerRegistrationException(
                            listener.description(),
                            new IllegalStateException("it takes event type '"
                                    + listener.route().eventType() + "' as a " + supertype.getName() + ", and '"
                                    + rival.description() + "' as a "
                                    + rival.source().supertype().getName()
                                    + "; neither is more specific: give them subscriptions of different names, or add a"
                                    + " listener for the type itself"));
                });
        return true;
    }
}
