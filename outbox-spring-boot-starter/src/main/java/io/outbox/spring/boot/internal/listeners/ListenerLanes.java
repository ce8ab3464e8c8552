package io.outbox.spring.boot.internal.listeners;

import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.Subscription;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.delivery.OutboxInMaking;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What an outbox must know of its listeners when it is built: for whom it writes, and who has a lane. */
final class ListenerLanes implements OutboxFeature, Destination {

    private final ListenerCatalog catalog;

    ListenerLanes(ListenerCatalog catalog) {
        this.catalog = catalog;
    }

    @Override
    public boolean hasLanes() {
        return catalog.annotated().stream().anyMatch(listener -> listener.lane() != null);
    }

    @Override
    public void addTo(OutboxInMaking outbox) {
        List<ListenerDefinition> here = catalog.ofOutbox(outbox.name());
        here.forEach(
                listener -> requireOwnLane(listener, here, outbox.settings().mode()));
        Outbox.AbstractBuilder<?> builder = outbox.builder();
        builder.listenersRegistered(catalog::isRegistered);
        catalog.versions().forEach(builder::eventVersion);
        for (ListenerDefinition listener : here) {
            addVersion(listener, builder);
            LanePolicy lane = listener.lane() == null ? null : listener.lane().in(outbox.settings());
            listener.asSubscription()
                    .map(subscription -> lane == null ? subscription : subscription.inLane(lane))
                    .ifPresent(builder::subscription);
            if (lane != null) {
                if (listener.asSubscription().isEmpty()) {
                    builder.lane(listener.route().eventType(), lane);
                }
                catalog.aliasesOf(listener.route().eventType())
                        .forEach(former -> builder.lane(listener.storedEventType(former), lane));
            }
        }
        if (catalog.isDefault(outbox.name())) {
            ListenersElsewhere elsewhere = catalog.elsewhere();
            elsewhere.subscriptions().stream()
                    .filter(declared -> here.stream()
                            .flatMap(listener -> listener.asSubscription().stream())
                            .noneMatch(subscription -> isSame(subscription, declared)))
                    .forEach(builder::subscription);
            elsewhere.unnamed().forEach(route -> builder.listenerElsewhere(route.aggregateType(), route.eventType()));
        }
    }

    private static void addVersion(ListenerDefinition listener, Outbox.AbstractBuilder<?> builder) {
        if (listener.version() > 0) {
            try {
                builder.eventVersion(listener.route().eventType(), listener.version());
            } catch (IllegalStateException e) {
                throw new ListenerRegistrationException(
                        listener.description(),
                        new ListenerMistake(
                                "its payload has version " + listener.version() + ". " + e.getMessage(),
                                "Give all payload classes of the type, and outbox.versions, the same version"));
            }
        }
    }

    private static boolean isSame(Subscription one, Subscription other) {
        return one.storedEventType().equals(other.storedEventType())
                && one.aggregateType().equals(other.aggregateType());
    }

    /**
     * Refuses a lane where there are none, and one that other listeners would be in, too: it has all events of a type.
     */
    private static void requireOwnLane(ListenerDefinition listener, List<ListenerDefinition> all, Mode mode) {
        if (listener.lane() == null) {
            return;
        }
        if (mode == Mode.ORDERED) {
            throw refused(
                    listener, "outbox.mode is ordered, where no event type can be delivered apart from the others");
        }
        if (listener.route().eventType().equals(EventType.ANY.name())) {
            throw refused(
                    listener,
                    "it takes events of all types, and all events of a type have the same settings: name its event types");
        }
        all.stream()
                .filter(other -> other.storedEventType().equals(listener.storedEventType()))
                .filter(other -> !other.route().equals(listener.route()))
                .findFirst()
                .ifPresent(other -> {
                    throw refused(
                            listener,
                            "'" + other.description() + "' takes events of the same type, and all events of a type have"
                                    + " the same settings for all aggregate types: give the listeners"
                                    + " subscriptions of different names, or their own event types");
                });
    }

    private static ListenerRegistrationException refused(ListenerDefinition listener, String reason) {
        return new ListenerRegistrationException(
                listener.description(), new IllegalStateException("it has its own settings, but " + reason));
    }

    /** Of listeners that are no subscriptions the registries tell. */
    @Override
    public boolean has(String outbox, String aggregateType, String eventType) {
        List<ListenerDefinition> here = outbox == null ? catalog.annotated() : catalog.ofOutbox(outbox);
        boolean asksElsewhere = outbox == null || catalog.isDefault(outbox);
        return here.stream()
                        .anyMatch(listener -> listener.asSubscription().isPresent()
                                && listener.route().equals(new ListenerRoute(aggregateType, eventType)))
                || (asksElsewhere && catalog.elsewhere().has(aggregateType, eventType));
    }

    @Override
    public Map<String, String> takers() {
        Map<String, String> takers = new LinkedHashMap<>();
        Stream.concat(catalog.annotated().stream(), catalog.bound().stream())
                .filter(listener -> listener.asSubscription().isEmpty())
                .forEach(listener -> takers.putIfAbsent(
                        listener.route().eventType(), "Outbox listener '" + listener.description() + "'"));
        return takers;
    }
}
