package io.outbox.samples.broker;

import io.outbox.testservers.KafkaServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A Kafka broker in a process of its own, from Maven packages, with one topic. Closing it deletes its data. */
final class Broker implements AutoCloseable {

    static final String TOPIC = "orders";

    private static final int PATIENCE_SECONDS = 30;

    private final KafkaServer server;

    private Broker(KafkaServer server) {
        this.server = server;
    }

    static Broker start() throws Exception {
        Broker broker = new Broker(KafkaServer.start());
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1)))
                    .all()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return broker;
    }

    String address() {
        return server.bootstrapServers();
    }

    void kill() {
        server.kill();
    }

    void restart() {
        server.restart();
    }

    @Override
    public void close() {
        server.close();
    }
}
