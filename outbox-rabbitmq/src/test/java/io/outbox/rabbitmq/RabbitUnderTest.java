package io.outbox.rabbitmq;

import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.broker.BrokerUnderTest;
import java.time.Duration;
import java.util.List;

/** A node of RabbitMQ. Senders go by the proxy, the tests themselves do not. */
record RabbitUnderTest(RabbitServer server, TcpProxy proxy, Broker broker) implements BrokerUnderTest {

    static RabbitUnderTest start() {
        RabbitServer server = RabbitServer.start();
        return new RabbitUnderTest(server, TcpProxy.start(server.port()), new Broker(server));
    }

    @Override
    public String newTarget() {
        return broker.createExchangeWithQueue();
    }

    @Override
    public RabbitEventPublisher sender(String target, Duration emergencyTimeout) {
        return RabbitEventPublisher.builder()
                .connectionFactory(broker.factory(proxy))
                .exchange(target)
                .emergencyTimeout(emergencyTimeout)
                .build();
    }

    /** Takes them out of the queue. */
    @Override
    public List<String> eventIds(String target) {
        return broker.messageIds(target);
    }

    @Override
    public void kill() {
        server.saveDefinitions();
        server.kill();
    }

    @Override
    public String threadPrefix() {
        return "outbox-rabbitmq";
    }
}
