package io.outbox.spring.boot;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.poller.StuckRecovery;
import io.outbox.registry.ListenerRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.DisposableBean;

/**
 * What the publisher's settings add to an outbox: a lane for each configured event type, whose listener is the sender,
 * whatever the event's aggregate type; and how events of dead nodes are taken over and delivered events deleted.
 */
final class PublisherLanes implements DisposableBean {

    private final Map<String, LanePolicy> policies;
    private final EventListener sender;
    private final StuckRecovery stuckRecovery;
    private final Duration cleanUpInitialDelay;
    private final boolean keepsDead;
    private volatile boolean added;

    /**
     * Creates what is added.
     *
     * @param sender the listener of all configured event types; {@code null} if there are none
     */
    PublisherLanes(Map<String, LanePolicy> policies, EventListener sender, Upkeep upkeep) {
        this.policies = Collections.unmodifiableMap(new LinkedHashMap<>(policies));
        this.sender = sender;
        this.stuckRecovery = upkeep.stuckRecovery;
        this.cleanUpInitialDelay = upkeep.cleanUpInitialDelay;
        this.keepsDead = upkeep.keepsDead;
    }

    /**
     * What happens to events besides delivery.
     *
     * @param stuckRecovery when events of dead nodes are taken over, or {@code null} for with every poll
     * @param cleanUpInitialDelay when finished events are first deleted after the start
     * @param keepsDead whether DEAD events are kept
     */
    record Upkeep(StuckRecovery stuckRecovery, Duration cleanUpInitialDelay, boolean keepsDead) {
        static final Upkeep OF_THE_ENGINE = new Upkeep(null, Duration.ZERO, false);
    }

    /** Returns what leaves an outbox as it is. */
    static PublisherLanes none() {
        return new PublisherLanes(Map.of(), null, Upkeep.OF_THE_ENGINE);
    }

    /** Returns the event types that go to the broker. */
    Set<String> eventTypes() {
        return policies.keySet();
    }

    /** Returns a registry with the sender for the configured event types, and the given listeners for all others. */
    ListenerRegistry over(ListenerRegistry others) {
        return policies.isEmpty()
                ? others
                : (aggregateType, eventType) ->
                        policies.containsKey(eventType) ? sender : others.listenerFor(aggregateType, eventType);
    }

    void addTo(Outbox.AbstractBuilder<?> builder) {
        policies.forEach(builder::lane);
        builder.purgeInitialDelay(cleanUpInitialDelay);
        if (keepsDead) {
            builder.purgeKeepsDead();
        }
        if (stuckRecovery != null && builder instanceof Outbox.MultiNodeBuilder multiNode) {
            multiNode.stuckRecovery(stuckRecovery);
        }
        added = true;
    }

    /** Returns whether an outbox has these lanes. */
    boolean isAdded() {
        return added;
    }

    /** Ends the sender, after the outboxes, which depend on this bean. */
    @Override
    public void destroy() throws Exception {
        if (sender instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
