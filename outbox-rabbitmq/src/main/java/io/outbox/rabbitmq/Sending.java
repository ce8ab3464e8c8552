package io.outbox.rabbitmq;

import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.RouteUnavailableException;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How messages get to the broker, and what is done about those for which it closes their channel. Thread-safe.
 *
 * <p>The broker keeps the order of messages within a channel. So the batches that a thread has under way share one,
 * their {@link Line}; it has one while it has any.
 */
final class Sending implements AutoCloseable {

    /** How many exchanges are asked for at a time. */
    private static final int MOST_QUESTIONS = 32;

    static final String BLOCKED = "RabbitMQ blocks publishers: ";

    private final RabbitConnections connections;
    private final Pace pace;
    private final Map<Thread, Line> lines = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-rabbitmq-timer-"));

    /** For questions about exchanges. */
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            MOST_QUESTIONS,
            MOST_QUESTIONS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DaemonThreadFactory("outbox-rabbitmq-exchanges-"));

    Sending(RabbitConnections connections, Pace pace) {
        this.connections = connections;
        this.pace = pace;
        timer.setRemoveOnCancelPolicy(true);
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * What a thread has under way: how many batches were sent over its channel, and how many wait until those have
     * ended.
     */
    private static final class Line {

        /** There is none until something is sent ahead, and neither is a channel. */
        private @Nullable RabbitConnection connection;

        private @Nullable ConfirmChannel channel;

        private int sent;
        private int waiting;

        private boolean isUsable(RabbitConnection current) {
            return channel == null || (connection == current && channel.isInOrder());
        }
    }

    /**
     * Settles the messages to exchanges that cannot be used; returns the others. Names of exchanges may be computed, so
     * that each message may bring a new one: the broker, which may be far away, is asked for all of them at a time.
     */
    List<Outgoing> toKnownExchanges(List<Outgoing> messages, Confirms confirms)
            throws IOException, InterruptedException {
        if (messages.isEmpty()) {
            return messages;
        }
        RabbitConnection connection = connections.get();
        Map<String, List<Outgoing>> groups = groups(messages, Outgoing::exchange);
        Map<String, FutureTask<@Nullable CloseReason>> questions = new LinkedHashMap<>();
        for (String exchange : groups.keySet()) {
            if (!connection.isKnown(exchange)) {
                questions.put(exchange, new FutureTask<>(() -> connection.findFault(exchange)));
            }
        }
        questions.values().stream().skip(1).forEach(this::start);
        for (Map.Entry<String, FutureTask<@Nullable CloseReason>> question : questions.entrySet()) {
            CloseReason fault = answer(question.getValue(), connection);
            if (fault != null) {
                confirms.fail(groups.getOrDefault(question.getKey(), List.of()), fault.failure(question.getKey()));
            }
        }
        return confirms.open(messages);
    }

    private void start(Runnable question) {
        try {
            threads.execute(question);
        } catch (RejectedExecutionException e) {
            throw new RouteUnavailableException("the publisher is closed", e);
        }
    }

    private static @Nullable CloseReason answer(FutureTask<@Nullable CloseReason> question, RabbitConnection connection)
            throws IOException, InterruptedException {
        question.run(); // if no other thread has begun
        try {
            return question.get();
        } catch (ExecutionException e) {
            connection.sever();
            if (e.getCause() instanceof IOException lost) {
                throw lost;
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /**
     * Sends messages without waiting for their confirms, behind those of batches that this thread has under way, if
     * there is nothing against it: each of them may be sent together with others, and none of those before has to be
     * sent again.
     *
     * @return the messages under way, if they were sent
     */
    ConfirmChannel.@Nullable Flight sendAhead(List<Outgoing> messages, Confirms confirms) throws IOException {
        Line line = lines.computeIfAbsent(Thread.currentThread(), thread -> new Line());
        line.waiting++;
        RabbitConnection connection = connections.get();
        boolean isNext = line.waiting == 1 && line.isUsable(connection);
        if (!isNext || connection.blockedReason() != null || !pace.isFree(messages)) {
            return null;
        }
        if (line.channel == null) {
            line.channel = borrow(connection);
            line.connection = connection;
        }
        ConfirmChannel.Flight flight = publish(connection, line.channel, messages, confirms);
        line.waiting--;
        line.sent++;
        return flight;
    }

    /** Notes that a batch for which {@link #sendAhead} was called has ended. */
    void ended(ConfirmChannel.@Nullable Flight flight) {
        Line line = ownLine();
        if (flight == null) {
            line.waiting--;
        } else {
            line.sent--;
        }
        if (line.sent == 0 && line.waiting == 0) {
            lines.remove(Thread.currentThread());
            if (line.channel != null && line.connection != null) {
                line.connection.giveBack(line.channel);
            }
        }
    }

    /**
     * Waits for the confirms of messages under way. If their channel is closed because of a message, which may be one
     * of another batch, sends those again that are not confirmed.
     */
    void finish(ConfirmChannel.Flight flight, List<Outgoing> messages, Confirms confirms)
            throws IOException, InterruptedException {
        CloseReason closure = flight.await();
        if (closure == null) {
            return;
        }
        List<Outgoing> open = confirms.open(messages);
        if (open.isEmpty()) {
            return;
        }
        if (closure.isConnectionLost()) {
            confirms.fail(open, closure);
            return;
        }
        connections.get().forgetExchanges();
        if (ownLine().sent == 1) {
            findTheOneAtFault(open, closure, confirms);
        } else {
            send(open, confirms);
        }
    }

    private Line ownLine() {
        return Objects.requireNonNull(lines.get(Thread.currentThread()), "this thread has nothing under way");
    }

    /** Sends messages in their order, as many at a time as may go together. */
    void send(List<Outgoing> messages, Confirms confirms) throws IOException, InterruptedException {
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
        ConfirmChannel channel = borrow(connection);
        CloseReason closure;
        try {
            closure = publish(connection, channel, messages, confirms).await();
        } finally {
            connection.giveBack(channel);
        }
        if (closure == null) {
            return;
        }
        List<Outgoing> open = confirms.open(messages);
        if (closure.isConnectionLost()) {
            confirms.fail(open, closure);
            return;
        }
        connection.forgetExchanges();
        findTheOneAtFault(open, closure, confirms);
    }

    private ConfirmChannel.Flight publish(
            RabbitConnection connection, ConfirmChannel channel, List<Outgoing> messages, Confirms confirms)
            throws IOException {
        Future<?> rescue = severWhenOverdue(connection, confirms);
        try {
            connection.gather();
            return channel.send(messages, confirms, connection::send);
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
            confirms.fail(suspects, closure);
        } else if (suspects.size() > 1) {
            pace.forgetSizes();
            for (Outgoing suspect : suspects) {
                sendTogether(List.of(suspect), confirms);
            }
        } else if (closure.isAboutTheMessage()) {
            suspects.forEach(message -> confirms.settle(message, BatchOutcome.of(DispatchResult.dead(closure.text()))));
        } else {
            confirms.fail(suspects, closure);
        }
    }

    private static <K> Map<K, List<Outgoing>> groups(List<Outgoing> messages, Function<Outgoing, K> key) {
        return messages.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdownNow();
    }
}
