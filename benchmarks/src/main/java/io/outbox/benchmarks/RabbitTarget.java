package io.outbox.benchmarks;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.BatchEventListener;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.rabbitmq.RabbitEventPublisher;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A RabbitMQ node with one durable queue; both ways of sending use persistent messages and confirms. */
final class RabbitTarget implements BrokerTarget {

    /** The default exchange takes events to the queue with the name of their type. */
    private static final String QUEUE = "Benchmarked";

    private static final String DEFAULT_EXCHANGE = "";
    private static final int PERSISTENT = 2;
    private static final long CONFIRM_TIMEOUT_MS = 60_000;

    private final RabbitServer server;
    private final TcpProxy way;
    /** How many messages the bare loop sends before it waits for their confirms. */
    private final int window;

    private final Strays strays = new Strays();
    private final Connection connection;
    private final Channel channel;
    private final RabbitEventPublisher publisher;

    private RabbitTarget(RabbitServer server, TcpProxy way, int window) throws Exception {
        this.server = server;
        this.way = way;
        this.window = window;
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        if (way != null) {
            factory.setPort(way.port());
        }
        this.connection = factory.newConnection();
        this.channel = connection.createChannel();
        channel.queueDeclare(QUEUE, true, false, false, Map.of());
        channel.confirmSelect();
        this.publisher = RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange(event -> strays.targetOf(event, DEFAULT_EXCHANGE))
                .batchSize(BATCH)
                .build();
    }

    static RabbitTarget start() throws Exception {
        return new RabbitTarget(RabbitServer.start(), null, BATCH);
    }

    /** Starts a broker that is so far away, in each direction; the bare loop does not wait until all is sent. */
    static RabbitTarget startAt(Duration distance) throws Exception {
        RabbitServer server = RabbitServer.start();
        TcpProxy way = TcpProxy.start(server.port());
        RabbitTarget target = new RabbitTarget(server, way, Integer.MAX_VALUE);
        way.distance(distance);
        return target;
    }

    @Override
    public String name() {
        return "RabbitMQ";
    }

    @Override
    public String bareLoop() {
        return window == BATCH
                ? "bare channel: send " + BATCH + ", await confirms"
                : "bare channel: send all, await confirms";
    }

    @Override
    public BatchEventListener publisher() {
        return publisher;
    }

    @Override
    public Strays strays() {
        return strays;
    }

    @Override
    public void sendBare(List<EventEnvelope> events) throws Exception {
        int step = Math.min(window, events.size());
        for (int from = 0; from < events.size(); from += step) {
            for (EventEnvelope event : events.subList(from, Math.min(from + step, events.size()))) {
                channel.basicPublish(DEFAULT_EXCHANGE, QUEUE, true, properties(event), event.payloadBytes());
            }
            channel.waitForConfirmsOrDie(CONFIRM_TIMEOUT_MS);
        }
    }

    /** Returns what the publisher gives a message, so that both ways send the same bytes. */
    private static BasicProperties properties(EventEnvelope event) {
        return new BasicProperties.Builder()
                .messageId(event.eventId())
                .type(event.eventType())
                .timestamp(Date.from(event.occurredAt()))
                .contentType("application/json")
                .contentEncoding("UTF-8")
                .deliveryMode(PERSISTENT)
                .headers(new HashMap<>(OutboxHeaders.of(event)))
                .build();
    }

    @Override
    public long arrived() throws IOException {
        return channel.queuePurge(QUEUE).getMessageCount();
    }

    @Override
    public void close() {
        publisher.close();
        connection.abort();
        if (way != null) {
            way.close();
        }
        server.close();
    }
}
