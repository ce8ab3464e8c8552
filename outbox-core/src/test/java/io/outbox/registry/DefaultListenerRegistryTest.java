package io.outbox.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.StringAggregateType;
import io.outbox.StringEventType;
import io.outbox.Subscription;
import io.outbox.support.Race;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefaultListenerRegistryTest {

    private static final EventListener LISTENER = event -> DispatchResult.done();
    private static final EventListener OTHER = event -> DispatchResult.dead();
    private static final EventType CREATED = StringEventType.of("Created");
    private static final AggregateType USER = StringAggregateType.of("User");

    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

    private static final class Bound extends BoundEventListener {
        Bound(String aggregateType, String eventType) {
            super(aggregateType, eventType);
        }

        Bound(AggregateType aggregateType, EventType eventType) {
            super(aggregateType, eventType);
        }

        @Override
        public DispatchResult onEvent(EventEnvelope envelope) {
            return DispatchResult.done();
        }
    }

    @Test
    void findsTheListenerOfARoute() {
        registry.register("User", "Created", LISTENER).register("Order", "Created", OTHER);

        assertThat(registry.listenerFor("User", "Created")).isSameAs(LISTENER);
        assertThat(registry.listenerFor("Order", "Created")).isSameAs(OTHER);
    }

    @Test
    void findsTheListenerOfASubscriptionUnderItsStoredRoute() {
        registry.register("User", "Created", LISTENER).register(Subscription.of("mail", USER, CREATED), OTHER);

        assertThat(registry.listenerFor("User", "Created#mail")).isSameAs(OTHER);
        assertThat(registry.listenerFor("User", "Created")).isSameAs(LISTENER);
    }

    @Test
    void findsNothingForAnUnknownRoute() {
        registry.register("User", "Created", LISTENER);

        assertThat(registry.listenerFor("User", "Deleted")).isNull();
        assertThat(registry.listenerFor("Order", "Created")).isNull();
        assertThat(registry.listenerFor("__GLOBAL__", "Created")).isNull();
    }

    @Test
    void registersForTheGlobalAggregateTypeByDefault() {
        registry.register("Created", LISTENER).register(StringEventType.of("Deleted"), OTHER);

        assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "Created")).isSameAs(LISTENER);
        assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "Deleted")).isSameAs(OTHER);
        assertThat(registry.listenerFor("User", "Created")).isNull();
    }

    @Test
    void registersTypedNames() {
        registry.register(USER, CREATED, LISTENER);

        assertThat(registry.listenerFor("User", "Created")).isSameAs(LISTENER);
    }

    @Test
    void registersABoundListenerUnderItsOwnRoute() {
        Bound strings = new Bound("User", "Created");
        Bound types = new Bound(StringAggregateType.of("Order"), CREATED);

        registry.register(strings).register(types);

        assertThat(registry.listenerFor("User", "Created")).isSameAs(strings);
        assertThat(registry.listenerFor("Order", "Created")).isSameAs(types);
        assertThat(types.getAggregateType()).isEqualTo("Order");
        assertThat(types.getEventType()).isEqualTo("Created");
    }

    @Test
    void aBoundListenerNeedsBothNames() {
        assertThatNullPointerException()
                .isThrownBy(() -> new Bound(null, "Created"))
                .withMessageContaining("aggregateType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Bound("User", " "))
                .withMessageContaining("eventType");
    }

    @Test
    void refusesASecondListenerForARoute() {
        registry.register(USER, CREATED, LISTENER);

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.register("User", "Created", OTHER))
                .withMessageContaining("User")
                .withMessageContaining("Created");
        assertThatIllegalStateException().isThrownBy(() -> registry.register(new Bound("User", "Created")));
        assertThat(registry.listenerFor("User", "Created")).isSameAs(LISTENER);
    }

    @Test
    void tellsRoutesApartWhoseNamesContainTheSameText() {
        registry.register("a:b", "c", LISTENER);

        assertThat(registry.listenerFor("a", "b:c")).isNull();
        registry.register("a", "b:c", OTHER);
        assertThat(registry.listenerFor("a:b", "c")).isSameAs(LISTENER);
        assertThat(registry.listenerFor("a", "b:c")).isSameAs(OTHER);
    }

    @Test
    void knowsForWhichEventTypesItHasAnyListener() {
        registry.register("User", "Created", LISTENER).register("Global", LISTENER);

        assertThat(registry.hasListenerFor("Created")).isTrue();
        assertThat(registry.hasListenerFor("Global")).isTrue();
        assertThat(registry.hasListenerFor("User")).isFalse();
    }

    @Test
    void namesARouteWithoutAggregateTypeByItsEventType() {
        registry.register("Created", LISTENER);

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.register("Created", LISTENER))
                .withMessageStartingWith("Listener already registered for eventType=Created (");
    }

    @Test
    void listsTheEventTypesThatHaveAListener() {
        registry.register("User", "Renamed", LISTENER);
        registry.register("Order", "Created", LISTENER);
        registry.register("User", "Created", LISTENER);

        assertThat(registry.eventTypes()).containsExactly("Created", "Renamed");
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> registry.register("User", "Created", null))
                .withMessageContaining("listener");
        assertThatNullPointerException()
                .isThrownBy(() -> registry.register((String) null, LISTENER))
                .withMessageContaining("eventType");
        assertThatNullPointerException()
                .isThrownBy(() -> registry.register(null, "Created", LISTENER))
                .withMessageContaining("aggregateType");
    }

    @Test
    void letsOneOfSeveralThreadsRegisterARoute() throws Exception {
        try (Race race = new Race(8)) {
            for (int round = 0; round < 200; round++) {
                String eventType = "Created" + round;

                List<Boolean> registered = race.times(8, () -> {
                    try {
                        registry.register(eventType, LISTENER);
                        return true;
                    } catch (IllegalStateException e) {
                        return false;
                    }
                });

                assertThat(registered).containsOnlyOnce(true);
            }
        }
    }

    @Test
    void findsTheListenerOfATypeByItsFormerName() {
        registry.register("User", "user-created", LISTENER).alias("Created", "user-created");

        assertThat(registry.listenerFor("User", "Created")).isSameAs(LISTENER);
        assertThat(registry.listenerFor("Order", "Created")).isNull();
        assertThat(registry.hasListenerFor("Created")).isTrue();
        assertThat(registry.currentType("Created")).isEqualTo("user-created");
        assertThat(registry.currentType("Other")).isEqualTo("Other");
        assertThat(registry.eventTypes()).containsExactly("user-created");
    }

    @Test
    void aFormerNameHoldsForSubscriptionsAndBeforeTheListenerIsRegistered() {
        registry.alias("Created", "user-created").register(Subscription.of("mail", "user-created"), OTHER);

        assertThat(registry.listenerFor("__GLOBAL__", "Created#mail")).isSameAs(OTHER);
        assertThat(registry.listenerFor("__GLOBAL__", "Created")).isNull();
        assertThat(registry.hasListenerFor("Created#mail")).isTrue();
        assertThat(registry.currentType("Created#mail")).isEqualTo("user-created#mail");
    }

    @Test
    void refusesFormerNamesThatAreNotClear() {
        registry.register("Taken", LISTENER)
                .register(Subscription.of("mail", "Subscribed"), LISTENER)
                .alias("Old", "New")
                .alias("Old", "New");

        assertThatIllegalStateException()
                .isThrownBy(() -> registry.alias("Old", "Other"))
                .withMessage("'Old' cannot be a former name of event type 'Other', since it is one of 'New'");
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.alias("Taken", "New"))
                .withMessageContaining("'Taken' cannot be a former name of event type 'New'");
        assertThatIllegalStateException().isThrownBy(() -> registry.alias("Subscribed", "New"));
        assertThatIllegalStateException().isThrownBy(() -> registry.alias("New", "Newest"));
        assertThatIllegalStateException().isThrownBy(() -> registry.alias("Older", "Old"));
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.register("Old", LISTENER))
                .withMessage("'Old' is a former name of event type 'New', which alone can have listeners");
        assertThatIllegalStateException().isThrownBy(() -> registry.register(Subscription.of("mail", "Old"), LISTENER));
        assertThatIllegalArgumentException().isThrownBy(() -> registry.alias("Same", "Same"));
        assertThat(registry.alias("Take", "New").listenerFor("__GLOBAL__", "Taken"))
                .isSameAs(LISTENER);
    }

    @Test
    void aListenerForAnyTypeGetsWhatHasNoListenerOfItsOwn() {
        EventListener ofUsers = event -> DispatchResult.done();
        EventListener ofMail = event -> DispatchResult.done();
        registry.register("Created", LISTENER)
                .register(EventType.ANY, OTHER)
                .register(USER, EventType.ANY, ofUsers)
                .register(Subscription.of("mail", EventType.ANY), ofMail)
                .alias("Made", "Created");

        assertThat(registry.listenerFor("__GLOBAL__", "Created")).isSameAs(LISTENER);
        assertThat(registry.listenerFor("__GLOBAL__", "Made")).isSameAs(LISTENER);
        assertThat(registry.listenerFor("__GLOBAL__", "Unheard")).isSameAs(OTHER);
        assertThat(registry.listenerFor("Order", "Created")).isSameAs(OTHER);
        assertThat(registry.listenerFor("User", "Created")).isSameAs(ofUsers);
        assertThat(registry.listenerFor("Order", "Created#mail")).isSameAs(ofMail);
        assertThat(registry.listenerFor("Order", "Created#gone"))
                .as("a removed subscription")
                .isNull();
        assertThat(registry.hasListenerFor("Unheard")).isTrue();
        assertThat(registry.hasListenerFor("Unheard#gone")).isFalse();
    }
}
