package io.outbox.kafka;

import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.broker.BrokerUnderTest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A broker of Kafka; all its clients go by the proxy. */
record KafkaUnderTest(KafkaServer server, TcpProxy proxy, Topics topics) implements BrokerUnderTest {

    static KafkaUnderTest of(KafkaServer server) {
        TcpProxy proxy = TcpProxy.start(server.port());
        server.advertise(proxy);
        return new KafkaUnderTest(server, proxy, new Topics(server));
    }

    @Override
    public String newTarget() {
        return topics.create();
    }

    @Override
    public KafkaEventPublisher sender(String target, Duration emergencyTimeout) {
        return sender(target, emergencyTimeout, Map.of());
    }

    KafkaEventPublisher sender(String target, Duration emergencyTimeout, Map<String, Object> config) {
        Map<String, Object> all = new HashMap<>(config);
        all.putIfAbsent("bootstrap.servers", server.bootstrapServers());
        return KafkaEventPublisher.builder()
                .producerConfig(all)
                .topic(target)
                .emergencyTimeout(emergencyTimeout)
                .build();
    }

    @Override
    public List<String> eventIds(String target) {
        return topics.eventIds(target);
    }

    @Override
    public String threadPrefix() {
        return "outbox-kafka";
    }
}
