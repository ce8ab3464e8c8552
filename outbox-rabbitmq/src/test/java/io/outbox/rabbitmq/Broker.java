package io.outbox.rabbitmq;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Exchanges and queues of a node, written to by the code under test and read by a plain client. */
final class Broker {

    /** What a test does with a channel. */
    interface ChannelWork<T> {
        T apply(Channel channel) throws Exception;
    }

    private final RabbitServer server;

    Broker(RabbitServer server) {
        this.server = server;
    }

    ConnectionFactory factory() {
        return factory(server.uri());
    }

    ConnectionFactory factory(TcpProxy proxy) {
        return factory(server.uri(proxy));
    }

    private static ConnectionFactory factory(String uri) {
        try {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(uri);
            return factory;
        } catch (Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Declares a durable topic exchange that takes all event types to a durable queue of the same name. */
    String createExchangeWithQueue() {
        String name = createExchange();
        createQueue(name, Map.of());
        return name;
    }

    String createExchange() {
        String name = "exchange-" + UUID.randomUUID();
        with(channel -> channel.exchangeDeclare(name, BuiltinExchangeType.TOPIC, true));
        return name;
    }

    void createQueue(String exchange, Map<String, Object> arguments) {
        with(channel -> {
            channel.queueDeclare(exchange, true, false, false, arguments);
            return channel.queueBind(exchange, exchange, "#");
        });
    }

    void deleteExchange(String name) {
        with(channel -> channel.exchangeDelete(name));
    }

    /** Takes everything that is in the queue now. */
    List<GetResponse> read(String queue) {
        return with(channel -> {
            List<GetResponse> messages = new ArrayList<>();
            for (GetResponse next = channel.basicGet(queue, true); next != null; next = channel.basicGet(queue, true)) {
                messages.add(next);
            }
            return messages;
        });
    }

    List<String> messageIds(String queue) {
        return read(queue).stream()
                .map(message -> message.getProps().getMessageId())
                .toList();
    }

    <T> T with(ChannelWork<T> work) {
        try (Connection connection = factory().newConnection();
                Channel channel = connection.createChannel()) {
            return work.apply(channel);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
