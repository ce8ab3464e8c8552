package io.outbox.spring.boot.brokers;

import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/** Makes the senders that event types ask for, one for each name. */
final class SenderAssembly {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final OutboxPublisherProperties publisher;
    private final List<Broker> brokers;

    SenderAssembly(OutboxPublisherProperties publisher, List<Broker> brokers) {
        this.publisher = publisher;
        this.brokers = brokers;
    }

    /** @param batchSize tells how many events of a type are sent at once */
    Senders create(BrokerRouter router, ToIntFunction<OutboxEventProperties> batchSize) {
        Map<String, List<String>> typesBySender = typesBySender();
        requireUse(typesBySender);
        Senders senders = new Senders();
        try {
            typesBySender.forEach((name, types) -> addTo(senders, types, request(name, types, router, batchSize)));
            return senders;
        } catch (RuntimeException e) {
            close(senders, e);
            throw e;
        }
    }

    private static void close(Senders senders, RuntimeException reason) {
        try {
            senders.close();
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }

    /** Returns which event types each sender is for; the one without a name has the name {@code null}. */
    private Map<String, List<String>> typesBySender() {
        Map<String, List<String>> types = new LinkedHashMap<>();
        publisher
                .events()
                .forEach((type, event) -> types.computeIfAbsent(event.sender(), name -> new ArrayList<>())
                        .add(type));
        return types;
    }

    private void requireUse(Map<String, List<String>> typesBySender) {
        FeatureSettings.require(
                publisher.sender().type() == null || typesBySender.containsKey(null),
                SenderSettings.key(null) + ".type",
                publisher.sender().type(),
                "has no effect, since every event type names another sender");
        publisher.senders().forEach((name, sender) -> {
            FeatureSettings.require(
                    typesBySender.containsKey(name),
                    SenderSettings.key(name),
                    sender.type(),
                    "has no effect, since no event type names it: set " + PublisherKeys.of("events.<type>.sender"));
        });
    }

    private Broker.Request request(
            String name, List<String> types, BrokerRouter router, ToIntFunction<OutboxEventProperties> batchSize) {
        Sender settings =
                name == null ? publisher.sender() : publisher.senders().get(name);
        int largestBatch = types.stream()
                .map(publisher.events()::get)
                .mapToInt(batchSize)
                .max()
                .orElseThrow();
        String beanName = settings.beanName();
        return new Broker.Request(
                name,
                beanName == null || beanName.isBlank() ? null : beanName,
                router,
                largestBatch,
                settings.emergencyTimeout());
    }

    private void addTo(Senders senders, List<String> types, Broker.Request request) {
        SenderType type = new SenderSettings(publisher)
                .of(publisher.events().get(types.get(0)))
                .type();
        Broker broker = broker(request.key(), type);
        senders.add(types, broker.create(request));
        types.forEach(eventType -> {
            OutboxEventProperties event = publisher.events().get(eventType);
            if (event.serializer() != null) {
                senders.add(eventType, broker.serializer(eventType, event, request));
            }
        });
        LOG.log(Level.INFO, "The outbox publishes to {0} ({1}) the event types {2}", type, request.key(), types);
    }

    private Broker broker(String key, SenderType type) {
        FeatureSettings.require(
                type != null,
                key + ".type",
                null,
                "must be set when there are " + PublisherKeys.of("events") + ": kafka or rabbit_mq");
        Broker found = brokers.stream()
                .filter(candidate -> candidate.type() == type)
                .findFirst()
                .orElse(null);
        FeatureSettings.require(
                found != null,
                key + ".type",
                type,
                "needs on the class path: "
                        + (type == SenderType.KAFKA
                                ? "io.outbox:outbox-kafka and org.springframework.kafka:spring-kafka"
                                : "io.outbox:outbox-rabbitmq and org.springframework.amqp:spring-rabbit"));
        return found;
    }
}
