package io.outbox.spring.boot;

import io.outbox.BatchEventListener;
import io.outbox.dispatch.LanePolicy;
import io.outbox.poller.StuckRecovery;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxPublisherProperties.Event;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.PublisherLanes.Upkeep;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Makes {@link PublisherLanes} from the settings, and checks how these fit together. */
final class PublisherLanesFactory {

    private static final Log LOG = LogFactory.getLog(PublisherLanesFactory.class);
    private static final List<String> RECOVERY_SCHEDULE = Stream.of("batch-size", "initial-delay", "fixed-delay")
            .map(setting -> PublisherKeys.of("stuck-recovery." + setting))
            .toList();

    private final OutboxPublisherProperties publisher;
    private final OutboxProperties outbox;
    private final ExplicitSettings explicit;

    PublisherLanesFactory(OutboxPublisherProperties publisher, OutboxProperties outbox, ExplicitSettings explicit) {
        this.publisher = publisher;
        this.outbox = outbox;
        this.explicit = explicit;
    }

    PublisherLanes create(List<SenderFactory> senders) {
        if (!publisher.isEnabled() || !explicit.hasAnyBelow(PublisherKeys.PREFIX)) {
            return PublisherLanes.none();
        }
        Upkeep upkeep = upkeep();
        Map<String, Event> events = publisher.getEvents();
        if (events.isEmpty()) {
            checkNothingIsPointless();
            return new PublisherLanes(Map.of(), null, upkeep);
        }
        checkMode();
        EventPolicies policies = new EventPolicies(publisher.getDefaults());
        Map<String, LanePolicy> lanes = new LinkedHashMap<>();
        events.forEach((type, event) -> lanes.put(type, policies.of(event)));
        PublisherLanes created = new PublisherLanes(lanes, sender(policies, senders), upkeep);
        LOG.info("The outbox publishes to " + publisher.getSender().getType() + " the event types " + lanes.keySet());
        return created;
    }

    private void checkNothingIsPointless() {
        for (String section : List.of("sender", "defaults")) {
            String key = PublisherKeys.of(section);
            OutboxPublisherPropertiesCheck.require(
                    !explicit.hasAnyBelow(key),
                    PublisherKeys.of("events"),
                    null,
                    "has no event type, so " + key + ".* would have no effect: set "
                            + PublisherKeys.of("events.<type>.topic"));
        }
    }

    private void checkMode() {
        Mode mode = outbox.getMode();
        OutboxPublisherPropertiesCheck.require(
                mode == Mode.SINGLE_NODE || mode == Mode.MULTI_NODE,
                PublisherKeys.of("events"),
                publisher.getEvents().keySet(),
                mode == Mode.ORDERED
                        ? "needs outbox.mode SINGLE_NODE or MULTI_NODE: in ORDERED mode no event type can be delivered"
                                + " apart from the others"
                        : "needs outbox.mode SINGLE_NODE or MULTI_NODE: in WRITER_ONLY mode nothing is delivered, and"
                                + " OutboxPublisher takes every event type");
        Duration emergencyTimeout = publisher.getSender().getEmergencyTimeout();
        Duration lockTimeout = outbox.getClaimLocking().getLockTimeout();
        OutboxPublisherPropertiesCheck.require(
                mode != Mode.MULTI_NODE || emergencyTimeout.compareTo(lockTimeout) < 0,
                PublisherKeys.of("sender.emergency-timeout"),
                emergencyTimeout,
                "must be less than " + PublisherKeys.of("stuck-recovery.max-batch-processing-time")
                        + " (or outbox.claim-locking.lock-timeout), which is " + lockTimeout
                        + ": a node must know what became of its events before another one may take them over");
    }

    private Upkeep upkeep() {
        boolean ownCleanUp = !explicit.has("outbox.purge.enabled");
        boolean delayed = ownCleanUp || explicit.has(PublisherKeys.of("clean-up.initial-delay"));
        return new Upkeep(
                stuckRecovery(),
                delayed && publisher.getCleanUp().getInitialDelay() != null
                        ? publisher.getCleanUp().getInitialDelay()
                        : Duration.ZERO,
                ownCleanUp);
    }

    /** Returns the schedule if the application sets one; the engine's own, with every poll, is quicker. */
    private StuckRecovery stuckRecovery() {
        if (outbox.getMode() != Mode.MULTI_NODE && explicit.hasAnyBelow(PublisherKeys.of("stuck-recovery"))) {
            LOG.warn(PublisherKeys.of("stuck-recovery") + ".* has no effect when outbox.mode is " + outbox.getMode()
                    + ": events of a node that died are delivered as soon as it is started again");
        }
        if (RECOVERY_SCHEDULE.stream().noneMatch(explicit::has)) {
            return null;
        }
        OutboxPublisherProperties.StuckRecovery settings = publisher.getStuckRecovery();
        return new StuckRecovery(settings.getBatchSize(), settings.getInitialDelay(), settings.getFixedDelay());
    }

    private BatchEventListener sender(EventPolicies policies, List<SenderFactory> senders) {
        SenderType type = publisher.getSender().getType();
        OutboxPublisherPropertiesCheck.require(
                type != null,
                PublisherKeys.of("sender.type"),
                null,
                "must be set when there are " + PublisherKeys.of("events") + ": kafka or rabbit_mq");
        SenderFactory factory = senders.stream()
                .filter(candidate -> candidate.type() == type)
                .findFirst()
                .orElse(null);
        OutboxPublisherPropertiesCheck.require(
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
