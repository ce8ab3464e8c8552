package io.outbox.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.SenderBuilder;
import io.outbox.sender.SilenceWatch;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A listener that sends events to RabbitMQ exchanges and is done with an event when the broker has put it into a queue
 * and confirmed that.
 *
 * <p>The routing key is the event type, the message id the event id. Messages are persistent; the body is the payload byte
 * for byte, {@code application/json} or, if binary, {@code application/octet-stream}. The headers are those of
 * {@link OutboxHeaders} and the event's own, as strings. Exchange, routing key, time and further headers may be functions of
 * the event, and a {@link RabbitMessageCustomizer} has the last word. RabbitMQ has no
 * {@linkplain EventEnvelope#isTombstone() tombstones}: such an event goes DEAD.
 *
 * <p>A batch is sent as a whole, then all confirms are awaited, and each event gets an outcome of its own:
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
 * <p>A broker that has not answered for three seconds is reported as {@linkplain BatchEventListener.Waiting silent}, while
 * the confirms are still awaited.
 *
 * <p>A message larger than any that the broker took so far is sent by itself, as the broker closes the channel over one
 * above its limit. If it closes the channel over another one, those it had not answered yet are sent again, apart from
 * each other, until the one at fault is found. Delivery is at least once: a message whose confirm was lost is sent again,
 * and so is one that some queue of its route refused, also to the queues that took it.
 *
 * <p>Thread-safe: workers share one connection and each has a channel while it sends.
 */
public final class RabbitEventPublisher implements BatchEventListener.Waiting, AutoCloseable {

    /** How long the confirms of a batch are awaited, if nothing else is set. */
    public static final Duration DEFAULT_EMERGENCY_TIMEOUT = SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT;

    /** How long a broker may leave events unanswered before it is reported. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final String BLOCKED = "RabbitMQ blocks publishers: ";

    private final RabbitConnections connections;
    private final Pace pace = new Pace();
    private final SilenceWatch watch = new SilenceWatch("outbox-rabbitmq-watch-", PATIENCE);
    private final Messages messages;
    private final int batchSize;
    private final Duration emergencyTimeout;
    private final ScheduledThreadPoolExecutor timer;

    private RabbitEventPublisher(Builder builder, Messages messages, int batchSize, Duration emergencyTimeout) {
        this.connections = new RabbitConnections(builder.connectionFactory, builder.addresses, emergencyTimeout);
        this.messages = messages;
        this.batchSize = batchSize;
        this.emergencyTimeout = emergencyTimeout;
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-rabbitmq-timer-"));
        timer.setRemoveOnCancelPolicy(true);
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
        Confirms confirms = new Confirms(events.size(), emergencyTimeout, pace);
        try (SilenceWatch.Call call = watch.begin(() -> report(silence))) {
            confirms.whenAnswered(call::answered);
            sendToKnownExchanges(route(events, confirms), confirms);
        } catch (RouteUnavailableException e) {
            return confirms.outcomes(e);
        } catch (IOException | ShutdownSignalException e) {
            return confirms.outcomes(new RouteUnavailableException(
                    "RabbitMQ is unavailable: " + CloseReason.of(e).text(), e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return confirms.outcomes(new RouteUnavailableException("interrupted while waiting for confirms", e));
        }
        return confirms.outcomes();
    }

    private boolean report(Consumer<RouteUnavailableException> silence) {
        String blocked = connections.blockedReason();
        silence.accept(new RouteUnavailableException(
                blocked == null ? "RabbitMQ has not answered for " + PATIENCE.toSeconds() + " s" : BLOCKED + blocked));
        return true;
    }

    private List<Outgoing> route(List<EventEnvelope> events, Confirms confirms) {
        List<Outgoing> routed = new ArrayList<>(events.size());
        for (int i = 0; i < events.size(); i++) {
            EventEnvelope event = events.get(i);
            try {
                routed.add(new Outgoing(i, event, messages.of(event)));
            } catch (RuntimeException e) {
                confirms.settle(i, BatchOutcome.failed(e));
            }
        }
        return routed;
    }

    private void sendToKnownExchanges(List<Outgoing> messages, Confirms confirms)
            throws IOException, InterruptedException {
        if (messages.isEmpty()) {
            return;
        }
        RabbitConnection connection = connections.get();
        Map<String, List<Outgoing>> byExchange = groups(messages, Outgoing::exchange);
        for (Map.Entry<String, List<Outgoing>> group : byExchange.entrySet()) {
            CloseReason fault = findFault(connection, group.getKey());
            if (fault != null) {
                confirms.fail(group.getValue(), fault.failure());
            }
        }
        send(confirms.open(messages), confirms);
    }

    private static CloseReason findFault(RabbitConnection connection, String exchange) throws IOException {
        try {
            return connection.findFault(exchange);
        } catch (IOException | ShutdownSignalException e) {
            connection.sever();
            throw e;
        }
    }

    /** Sends messages in their order, as many at a time as may go together. */
    private void send(List<Outgoing> messages, Confirms confirms) throws IOException, InterruptedException {
        List<Outgoing> left = messages;
        while (!left.isEmpty() && !confirms.isOverdue()) {
            int count = pace.together(left);
            sendTogether(left.subList(0, count), confirms);
            left = confirms.open(left.subList(count, left.size()));
        }
    }

    /** Sends messages over one channel; if that is closed because of one of them, sends the others again. */
    private void sendTogether(List<Outgoing> messages, Confirms confirms) throws IOException, InterruptedException {
        RabbitConnection connection = connections.get();
        if (confirms.isOverdue()) {
            return; // nothing that is sent now counts, and the connection is not to blame
        }
        String blocked = connection.blockedReason();
        if (blocked != null) {
            confirms.fail(messages, new RouteUnavailableException(BLOCKED + blocked));
            return;
        }
        CloseReason closure = publish(connection, messages, confirms);
        if (closure == null) {
            return;
        }
        List<Outgoing> open = confirms.open(messages);
        if (closure.isConnectionLost()) {
            confirms.fail(open, closure.failure());
            return;
        }
        connection.forgetExchanges();
        findTheOneAtFault(open, closure, confirms);
    }

    private CloseReason publish(RabbitConnection connection, List<Outgoing> messages, Confirms confirms)
            throws IOException, InterruptedException {
        Future<?> rescue = severWhenOverdue(connection, confirms);
        try {
            ConfirmChannel channel = borrow(connection);
            try {
                connection.gather();
                return channel.publish(messages, confirms, () -> {
                    connection.send();
                    rescue.cancel(false);
                });
            } finally {
                connection.giveBack(channel);
            }
        } finally {
            rescue.cancel(false);
        }
    }

    /** Cuts the connection if sending takes too long: a write blocks for as long as the broker does not read. */
    private Future<?> severWhenOverdue(RabbitConnection connection, Confirms confirms) {
        try {
            return timer.schedule(connection::sever, confirms.nanosLeft(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            throw new RouteUnavailableException("the publisher is closed", e);
        }
    }

    /** A connection over which no channel can be opened is of no use any more. */
    private static ConfirmChannel borrow(RabbitConnection connection) throws IOException {
        try {
            return connection.borrow();
        } catch (IOException | ShutdownSignalException e) {
            connection.sever();
            throw e;
        }
    }

    private void findTheOneAtFault(List<Outgoing> suspects, CloseReason closure, Confirms confirms)
            throws IOException, InterruptedException {
        Map<Outgoing.Target, List<Outgoing>> byTarget = groups(suspects, Outgoing::target);
        if (byTarget.size() > 1) {
            for (List<Outgoing> group : byTarget.values()) {
                send(group, confirms);
            }
        } else if (closure.isAboutTheRoute()) {
            confirms.fail(suspects, closure.failure());
        } else if (suspects.size() > 1) {
            pace.forgetSizes();
            for (Outgoing suspect : suspects) {
                sendTogether(List.of(suspect), confirms);
            }
        } else if (closure.isAboutTheMessage()) {
            suspects.forEach(message -> confirms.settle(message, BatchOutcome.of(DispatchResult.dead(closure.text()))));
        } else {
            confirms.fail(suspects, closure.failure());
        }
    }

    private static <K> Map<K, List<Outgoing>> groups(List<Outgoing> messages, Function<Outgoing, K> key) {
        return messages.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    /**
     * Ends the publisher and its connection. Batches under way end with {@link RouteUnavailableException} for what was not
     * confirmed.
     */
    @Override
    public void close() {
        watch.close();
        connections.close();
        timer.shutdownNow();
    }

    /** Builds a {@link RabbitEventPublisher}. Not thread-safe. */
    public static final class Builder extends SenderBuilder<Builder, RabbitMessageCustomizer> {

        private ConnectionFactory connectionFactory;
        private List<Address> addresses = List.of();
        private boolean hasExchange;

        private Builder() {}

        @Override
        protected Builder self() {
            return this;
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
         * Gives each message the routing key that this function computes; {@code null} is the default, the event type. It is
         * called as {@link #exchange(Function)} is.
         */
        public Builder routingKey(Function<EventEnvelope, String> routingKey) {
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
    }
}
