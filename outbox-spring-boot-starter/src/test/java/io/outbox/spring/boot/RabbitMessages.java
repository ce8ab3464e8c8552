package io.outbox.spring.boot;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.testservers.RabbitServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Another service, which sends events to a queue as an outbox does, but as often as a test wants. */
public final class RabbitMessages implements AutoCloseable {

    private final Connection connection;
    private final Channel channel;
    private final String queue;

    private RabbitMessages(Connection connection, Channel channel, String queue) {
        this.connection = connection;
        this.channel = channel;
        this.queue = queue;
    }

    public static RabbitMessages open(String queue) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(RabbitServer.shared().uri());
        Connection connection = factory.newConnection();
        Channel channel = connection.createChannel();
        channel.confirmSelect();
        channel.queueDeclare(queue, true, false, false, Map.of());
        return new RabbitMessages(connection, channel, queue);
    }

    /** Sends events whose payloads are their ids, as text. */
    public void send(String... eventIds) throws Exception {
        for (String eventId : eventIds) {
            send(eventId, "placed", eventId, "text/plain");
        }
    }

    void sendJson(String eventId, String type, String payload) throws Exception {
        send(eventId, type, payload, "application/json");
    }

    /** Sends a message of which nobody can tell which event it brings. */
    void sendWithoutId(String payload) throws Exception {
        send(Map.of(), payload, "text/plain");
    }

    private void send(String eventId, String type, String payload, String contentType) throws Exception {
        send(Map.of("outbox_event_id", eventId, "outbox_event_type", type), payload, contentType);
    }

    private void send(Map<String, Object> headers, String payload, String contentType) throws Exception {
        BasicProperties properties = new BasicProperties.Builder()
                .contentType(contentType)
                .deliveryMode(2)
                .headers(headers)
                .build();
        channel.basicPublish("", queue, properties, payload.getBytes(StandardCharsets.UTF_8));
        channel.waitForConfirmsOrDie(10_000);
    }

    /** Returns the number of messages that wait for a consumer. */
    public int waiting() {
        try {
            return channel.queueDeclarePassive(queue).getMessageCount();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
