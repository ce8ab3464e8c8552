package io.outbox.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.DeadEventSender;
import io.outbox.sender.SenderBuilder;
import io.outbox.sender.SilenceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A listener that sends events to RabbitMQ exchanges and is done with an event when the broker has put it into a queue
 * and confirmed that.
 *
 * <p>The routing key is the event type, the message id the event id. Messages are persistent; the body is the payload
 * byte for byte, {@code application/json} or, if binary, {@code application/octet-stream}. The headers are those of
 * {@link OutboxHeaders} and the event's own, as strings. Exchange, routing key, time and further headers may be
 * functions of the event, and a {@link RabbitMessageCustomizer} has the last word. RabbitMQ has no {@linkplain
 * EventEnvelope#isTombstone() tombstones}: such an event goes DEAD.
 *
 * <p>A batch is sent as a whole, also while others are not confirmed yet, and each event gets an outcome of its own:
 *
 * <ul>
 *   <li>confirmed: done;
 *   <li>not a message the protocol can express, or one that the broker does not take for its size: dead, with the reason;
 *   <li>the broker cannot be reached, the connection is lost, the broker blocks publishers, a queue does not accept it (it
 *       is full, or has an error), or there was no confirm within the emergency timeout: failed with
 *       {@link RouteUnavailableException};
 *   <li>no queue is bound for it, the exchange does not exist or may not be written to: failed with
 *       {@link RecoverableException}, with the broker's words.
 * </ul>
 *
 * <p>A broker that has not answered for three seconds is reported as {@linkplain BatchEventListener.Waiting silent},
 * while the confirms are still awaited.
 *
 * <p>A message larger than any that the broker took so far is sent by itself, as the broker closes the channel over one
 * above its limit. If it closes the channel over another one, those it had not answered yet are sent again, apart from
 * each other, until the one at fault is found. Delivery is at least once: a message whose confirm was lost is sent
 * again, and so is one that some queue of its route refused, also to the queues that took it.
 *
 * <p>Thread-safe: workers share one connection and each has a channel while it sends.
 */
public final class RabbitEventPublisher implements BatchEventListener.Pipelined, AutoCloseable {

    /** How long the confirms of a batch are awaited, if nothing else is set. */
    public static final Duration DEFAULT_EMERGENCY_TIMEOUT = SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT;

    /** How long a broker may leave events unanswered before it is reported. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RabbitConnections connections;
    private final Pace pace = new Pace();
    private final SilenceWatch watch = new SilenceWatch("outbox-rabbitmq-watch-", PATIENCE);
    private final Messages messages;
    private final @Nullable EventFallback deadLetters;
    private final int batchSize;
    private final Duration emergencyTimeout;
    private final Sending sending;

    private RabbitEventPublisher(Builder builder, Messages messages, int batchSize, Duration emergencyTimeout) {
        this.connections = builder.connections(emergencyTimeout);
        this.messages = messages;
        this.batchSize = batchSize;
        this.emergencyTimeout = emergencyTimeout;
        this.sending = new Sending(connections, pace);
        this.deadLetters = builder.fallback(this::sendAlone);
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public int maxBatchSize() {
        return batchSize;
    }

    /** Sends the events and returns their outcomes; never throws for a reason that lies in broker or network. */
    @Override
    public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
        return onEvents(events, List.of(), reason -> {});
    }

    /**
     * Sends the events and returns their outcomes; never throws for a reason that lies in broker or network.
     *
     * @param infos not used
     * @param silence is told when the broker has not answered for three seconds; what is confirmed afterwards is done
     */
    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
        return begun(events, messages::of, silence).outcomes();
    }

    /** Sends the events; never throws for a reason that lies in broker or network. */
    @Override
    public Pending begin(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
        return begun(events, messages::of, silence);
    }

    /** Returns what sends dead letters, if any are sent. */
    @Override
    public @Nullable EventFallback fallback() {
        return deadLetters;
    }

    private BatchOutcome sendAlone(EventEnvelope event, OutboxRoute route) {
        return begun(List.of(event), sent -> messages.of(sent, route), reason -> {})
                .outcomes()
                .get(0);
    }

    private PendingBatch begun(
            List<EventEnvelope> events,
            Function<EventEnvelope, RabbitMessage> toMessage,
            Consumer<RouteUnavailableException> silence) {
        Confirms confirms = new Confirms(events.size(), emergencyTimeout, pace);
        PendingBatch pending = new PendingBatch(sending, confirms);
        SilenceWatch.Call call = watch.begin(() -> report(pending, silence));
        confirms.whenAnswered(call::answered);
        pending.begin(route(events, toMessage, confirms), call);
        return pending;
    }

    private boolean report(PendingBatch pending, Consumer<RouteUnavailableException> silence) {
        if (!pending.isOwedAnAnswer()) {
            return false;
        }
        String blocked = connections.blockedReason();
        silence.accept(new RouteUnavailableException(
                blocked == null
                        ? "RabbitMQ has not answered for " + PATIENCE.toSeconds() + " s"
                        : Sending.BLOCKED + blocked));
        return true;
    }

    private static List<Outgoing> route(
            List<EventEnvelope> events, Function<EventEnvelope, RabbitMessage> toMessage, Confirms confirms) {
        List<Outgoing> routed = new ArrayList<>(events.size());
        for (int i = 0; i < events.size(); i++) {
            EventEnvelope event = events.get(i);
            try {
                routed.add(new Outgoing(i, event, toMessage.apply(event)));
            } catch (RuntimeException e) {
                confirms.settle(i, BatchOutcome.failed(e));
            }
        }
        return routed;
    }

    /**
     * Ends the publisher and its connection. Batches under way end with {@link RouteUnavailableException} for what was
     * not confirmed.
     */
    @Override
    public void close() {
        watch.close();
        connections.close();
        sending.close();
    }

    /** Builds a {@link RabbitEventPublisher}. Not thread-safe. */
    public static final class Builder extends SenderBuilder<Builder, RabbitMessageCustomizer> {

        private @Nullable ConnectionFactory connectionFactory;
        private List<Address> addresses = List.of();
        private String connectionName = "outbox";
        private boolean hasExchange;

        private Builder() {}

        @Override
        protected Builder self() {
            return this;
        }

        private @Nullable EventFallback fallback(DeadEventSender.Way way) {
            return deadLetters(way);
        }

        /**
         * Required. How to connect. The publisher works with a copy in which the client's automatic recovery is off (it
         * connects again itself), the timeouts are limited by the emergency timeout, and the threads are daemons.
         */
        public Builder connectionFactory(ConnectionFactory connectionFactory) {
            this.connectionFactory = Objects.requireNonNull(connectionFactory, "connectionFactory")
                    .clone();
            return this;
        }

        /** The nodes of a cluster, tried in this order. Default: the host and port of the connection factory. */
        public Builder addresses(List<Address> addresses) {
            this.addresses = List.copyOf(addresses);
            return this;
        }

        /** The name under which the broker shows the connection. Default: {@code outbox}. */
        public Builder connectionName(String connectionName) {
            if (Objects.requireNonNull(connectionName, "connectionName").isBlank()) {
                throw new IllegalArgumentException("connectionName must not be blank");
            }
            this.connectionName = connectionName;
            return this;
        }

        /**
         * Sends all events to this exchange; the empty name is the default exchange, which takes the event type as the
         * name of a queue. This, {@link #exchange(Function)} or {@link #router} is required.
         */
        public Builder exchange(String exchange) {
            Objects.requireNonNull(exchange, "exchange");
            return exchange(event -> exchange);
        }

        /**
         * Sends each event to the exchange that this function names. It is called on worker threads; an event for which
         * it throws, or returns {@code null}, has failed, alone.
         */
        public Builder exchange(Function<EventEnvelope, String> exchange) {
            Objects.requireNonNull(exchange, "exchange");
            hasExchange = true;
            return part(event -> OutboxRoute.to(exchange.apply(event)));
        }

        /**
         * Gives each message the routing key that this function computes; {@code null} is the default, the event type.
         * It is called as {@link #exchange(Function)} is.
         */
        public Builder routingKey(Function<EventEnvelope, @Nullable String> routingKey) {
            Objects.requireNonNull(routingKey, "routingKey");
            return part(event ->
                    OutboxRoute.builder().routingKey(routingKey.apply(event)).build());
        }

        /** Builds the publisher. It connects when the first event is sent. */
        public RabbitEventPublisher build() {
            Objects.requireNonNull(connectionFactory, "connectionFactory is required");
            if (!hasExchange && !hasRouter()) {
                throw new NullPointerException("exchange is required (or router)");
            }
            Messages messages = new Messages(routes(), messageHeaders(Messages.CLOUD_EVENT), customizers());
            return new RabbitEventPublisher(this, messages, batchSize(), emergencyTimeout());
        }

        private RabbitConnections connections(Duration emergencyTimeout) {
            return new RabbitConnections(
                    Objects.requireNonNull(connectionFactory), addresses, connectionName, emergencyTimeout);
        }
    }
}
