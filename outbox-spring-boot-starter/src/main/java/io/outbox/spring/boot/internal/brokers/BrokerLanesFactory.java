package io.outbox.spring.boot.internal.brokers;

import io.outbox.BatchEventListener;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Event;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.spring.boot.internal.settings.Rules;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes {@link BrokerLanes} from the settings, and checks how these fit together. */
public final class BrokerLanesFactory {

    private static final System.Logger LOG = System.getLogger(BrokerLanesFactory.class.getName());

    private final OutboxPublisherProperties publisher;
    private final OutboxSettings outbox;
    private final ExplicitSettings explicit;

    public BrokerLanesFactory(OutboxPublisherProperties publisher, OutboxSettings outbox, ExplicitSettings explicit) {
        this.publisher = publisher;
        this.outbox = outbox;
        this.explicit = explicit;
    }

    public BrokerLanes create(List<SenderFactory> senders) {
        if (!publisher.isEnabled() || !explicit.hasAnyBelow(PublisherKeys.PREFIX)) {
            return BrokerLanes.none();
        }
        Map<String, Event> events = publisher.getEvents();
        if (events.isEmpty()) {
            checkNothingIsPointless();
            return BrokerLanes.none();
        }
        checkMode();
        LanePolicies policies = new LanePolicies(publisher.getDefaults());
        Map<String, LanePolicy> lanes = new LinkedHashMap<>();
        events.forEach((type, event) -> lanes.put(type, policies.of(event)));
        BrokerLanes created = new BrokerLanes(lanes, sender(policies, senders));
        LOG.log(
                Level.INFO,
                "The outbox publishes to {0} the event types {1}",
                publisher.getSender().getType(),
                lanes.keySet());
        return created;
    }

    private void checkNothingIsPointless() {
        for (String section : List.of("sender", "defaults")) {
            String key = PublisherKeys.of(section);
            Rules.require(
                    !explicit.hasAnyBelow(key),
                    PublisherKeys.of("events"),
                    null,
                    "has no event type, so " + key + ".* would have no effect: set "
                            + PublisherKeys.of("events.<type>.topic"));
        }
    }

    private void checkMode() {
        Mode mode = outbox.mode();
        Rules.require(
                mode == Mode.SINGLE_NODE || mode == Mode.MULTI_NODE,
                PublisherKeys.of("events"),
                publisher.getEvents().keySet(),
                mode == Mode.ORDERED
                        ? "needs outbox.mode SINGLE_NODE or MULTI_NODE: in ORDERED mode no event type can be delivered"
                                + " apart from the others"
                        : "needs outbox.mode SINGLE_NODE or MULTI_NODE: in WRITER_ONLY mode nothing is delivered, and"
                                + " OutboxPublisher takes every event type");
        Duration emergencyTimeout = publisher.getSender().getEmergencyTimeout();
        Duration lockTimeout = outbox.delivery().locking().lockTimeout();
        Rules.require(
                mode != Mode.MULTI_NODE || emergencyTimeout.compareTo(lockTimeout) < 0,
                PublisherKeys.of("sender.emergency-timeout"),
                emergencyTimeout,
                "must be less than " + PublisherKeys.of("stuck-recovery.max-batch-processing-time")
                        + " (or outbox.claim-locking.lock-timeout), which is " + lockTimeout
                        + ": a node must know what became of its events before another one may take them over");
    }

    private BatchEventListener sender(LanePolicies policies, List<SenderFactory> senders) {
        SenderType type = publisher.getSender().getType();
        Rules.require(
                type != null,
                PublisherKeys.of("sender.type"),
                null,
                "must be set when there are " + PublisherKeys.of("events") + ": kafka or rabbit_mq");
        SenderFactory factory = senders.stream()
                .filter(candidate -> candidate.type() == type)
                .findFirst()
                .orElse(null);
        Rules.require(
                factory != null,
                PublisherKeys.of("sender.type"),
                type,
                "needs on the class path: "
                        + (type == SenderType.KAFKA
                                ? "io.outbox:outbox-kafka and org.springframework.kafka:spring-kafka"
                                : "io.outbox:outbox-rabbitmq and org.springframework.amqp:spring-rabbit"));
        Map<String, String> topics = new LinkedHashMap<>();
        publisher.getEvents().forEach((eventType, event) -> topics.put(eventType, event.getTopic()));
        int batchSize = publisher.getEvents().values().stream()
                .mapToInt(policies::batchSize)
                .max()
                .orElseThrow();
        String beanName = publisher.getSender().getBeanName();
        return factory.create(new SenderFactory.Request(
                beanName == null || beanName.isBlank() ? null : beanName,
                topics,
                batchSize,
                publisher.getSender().getEmergencyTimeout()));
    }
}
