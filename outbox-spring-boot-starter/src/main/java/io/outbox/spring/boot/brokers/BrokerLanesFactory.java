package io.outbox.spring.boot.brokers;

import io.outbox.OutboxRouter;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.upkeep.DurationText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes {@link BrokerLanes} from the settings, and checks how these fit together. */
final class BrokerLanesFactory {

    private final OutboxPublisherProperties publisher;
    private final OutboxSettings outbox;
    private final ExplicitSettings explicit;

    BrokerLanesFactory(OutboxPublisherProperties publisher, OutboxSettings outbox, ExplicitSettings explicit) {
        this.publisher = publisher;
        this.outbox = outbox;
        this.explicit = explicit;
    }

    /**
     * Makes the lanes.
     *
     * @param router the application's, or {@code null}
     * @param codec the application's, or {@code null}
     */
    public BrokerLanes create(List<Broker> brokers, OutboxRouter router, JsonCodec codec) {
        if (!publisher.enabled() || !explicit.hasAnyBelow(PublisherKeys.PREFIX)) {
            return BrokerLanes.none();
        }
        Map<String, OutboxEventProperties> events = publisher.events();
        if (events.isEmpty()) {
            checkNothingIsPointless();
            return BrokerLanes.none();
        }
        checkMode();
        if (router == null) {
            events.forEach(this::requireTopic);
        }
        LanePolicies policies = new LanePolicies(publisher.defaults());
        Map<String, LanePolicy> lanes = new LinkedHashMap<>();
        events.forEach((type, event) -> lanes.put(type, policies.of(event)));
        BrokerRouter routes = new BrokerRouter(publisher, router, codec, new OrderHint(explicit));
        Senders senders = new SenderAssembly(publisher, brokers).create(routes, policies::batchSize);
        return new BrokerLanes(lanes, senders, routes);
    }

    private void requireTopic(String type, OutboxEventProperties event) {
        FeatureSettings.require(
                event.topic() != null || publisher.defaults().topic() != null,
                PublisherKeys.ofEvent(type, "topic"),
                null,
                "must be set, or " + PublisherKeys.of("defaults.topic")
                        + ", or there must be an OutboxRouter bean: the topic in Kafka, the exchange in RabbitMQ");
    }

    private void checkNothingIsPointless() {
        for (String section : List.of("sender", "senders", "defaults")) {
            String key = PublisherKeys.of(section);
            FeatureSettings.require(
                    !explicit.hasAnyBelow(key),
                    PublisherKeys.of("events"),
                    null,
                    "has no event type, so " + key + ".* would have no effect: set "
                            + PublisherKeys.of("events.<type>.topic"));
        }
    }

    private void checkMode() {
        Mode mode = outbox.mode();
        FeatureSettings.require(
                mode == Mode.SINGLE_NODE || mode == Mode.MULTI_NODE,
                PublisherKeys.of("events"),
                publisher.events().keySet(),
                mode == Mode.ORDERED
                        ? "needs outbox.mode=single-node or multi-node: in ordered mode no event type can be delivered"
                                + " apart from the others"
                        : "needs outbox.mode=single-node or multi-node: in writer-only mode nothing is delivered, and"
                                + " OutboxPublisher takes every event type");
        if (mode == Mode.MULTI_NODE) {
            if (publisher.sender().type() != null) {
                checkTimeout(null, publisher.sender());
            }
            publisher.senders().forEach(this::checkTimeout);
        }
    }

    private void checkTimeout(String name, Sender sender) {
        Duration lockTimeout = outbox.delivery().locking().lockTimeout();
        FeatureSettings.require(
                sender.emergencyTimeout().compareTo(lockTimeout) < 0,
                SenderSettings.key(name) + ".emergency-timeout",
                sender.emergencyTimeout(),
                "must be less than " + PublisherKeys.of("stuck-recovery.max-batch-processing-time")
                        + " (or outbox.claim-locking.lock-timeout), which is " + DurationText.of(lockTimeout)
                        + ": a node must know what became of its events before another one may take them over");
    }
}
