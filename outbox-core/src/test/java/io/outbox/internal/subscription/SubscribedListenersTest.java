package io.outbox.internal.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Subscription;
import io.outbox.registry.DefaultListenerRegistry;
import org.junit.jupiter.api.Test;

class SubscribedListenersTest {

    private static final EventListener LISTENER = event -> DispatchResult.done();

    private final DefaultListenerRegistry subscribed = new DefaultListenerRegistry();
    private final DefaultListenerRegistry application = new DefaultListenerRegistry();
    private final SubscribedListeners listeners = new SubscribedListeners(new GivenListeners(subscribed, application));

    @Test
    void leaveListenersOfRoutesAsTheyAre() {
        application.register("Order", "A", LISTENER);

        assertThat(listeners.listenerFor("Order", "A")).isSameAs(LISTENER);
        assertThat(listeners.listenerFor("Order", "A#mail")).isNull();
    }

    @Test
    void knowWhichTypesHaveAListenerWhereverItIsRegistered() {
        application.register("A", LISTENER).register(Subscription.of("audit", "A"), LISTENER);
        subscribed.register(Subscription.of("mail", "A"), LISTENER);

        assertThat(listeners.hasListenerFor("A")).isTrue();
        assertThat(listeners.hasListenerFor("A#audit")).isTrue();
        assertThat(listeners.hasListenerFor("A#mail")).isTrue();
        assertThat(listeners.hasListenerFor("A#other")).isFalse();
        assertThat(listeners.hasListenerFor("B")).isFalse();
    }
}
