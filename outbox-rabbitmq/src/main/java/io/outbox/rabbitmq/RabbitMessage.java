package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import java.util.Arrays;
import java.util.Objects;

/**
 * A message on its way to an exchange.
 *
 * @param properties what the message has beside the body; its message id is the event id, whatever else is set there,
 * since
 *     the broker's answers are told apart by it
 * @param body what consumers get; not copied, and not to be changed
 */
public record RabbitMessage(String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body) {

    public RabbitMessage {
        Objects.requireNonNull(exchange, "exchange");
        Objects.requireNonNull(routingKey, "routingKey");
        Objects.requireNonNull(properties, "properties");
        Objects.requireNonNull(body, "body");
    }

    /** Returns this message with other properties, such as those of {@code message.properties().builder()}. */
    public RabbitMessage withProperties(AMQP.BasicProperties properties) {
        return new RabbitMessage(exchange, routingKey, properties, body);
    }

    /** Returns this message with another body. */
    public RabbitMessage withBody(byte[] body) {
        return new RabbitMessage(exchange, routingKey, properties, body);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RabbitMessage that
                && exchange.equals(that.exchange)
                && routingKey.equals(that.routingKey)
                && properties.equals(that.properties)
                && Arrays.equals(body, that.body);
    }

    @Override
    public int hashCode() {
        return Objects.hash(exchange, routingKey, properties, Arrays.hashCode(body));
    }

    /** Leaves properties and body out, so that a message may be logged. */
    @Override
    public String toString() {
        return "RabbitMessage[exchange=" + exchange + ", routingKey=" + routingKey + "]";
    }
}
