package io.outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.InvalidTargetException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A channel in confirm mode. One thread sends over it, and may do so while earlier batches are not confirmed.
 *
 * <p>The broker numbers the messages of a channel and confirms them by number. A message that no queue takes is
 * returned first and then confirmed like any other; the return is what makes it a failure. When channel or connection
 * close, the client says so at once, and no more confirms come.
 *
 * <p>The listeners are registered once, for the life of the channel. They run on the connection's thread; batches run
 * on the worker that has borrowed the channel.
 */
final class ConfirmChannel {

    private final Channel channel;
    private final NavigableMap<Long, Sent> outstanding = new TreeMap<>();
    /** Counts what the broker has received; the client's own counter also counts what it could not encode. */
    private long nextNumber = 1;

    private @Nullable CloseReason closure;

    private record Sent(Outgoing message, Flight flight) {}

    ConfirmChannel(Channel channel) throws IOException {
        this.channel = channel;
        channel.addConfirmListener(
                (number, multiple) -> confirmed(number, multiple, true),
                (number, multiple) -> confirmed(number, multiple, false));
        channel.addReturnListener(this::returned);
        channel.addShutdownListener(this::closed);
        channel.confirmSelect();
    }

    /**
     * Sends messages of a batch.
     *
     * @param whenSent called once, after the last message
     */
    Flight send(List<Outgoing> messages, Confirms batch, Runnable whenSent) {
        Flight flight = new Flight(batch);
        try {
            for (Outgoing message : messages) {
                if (batch.isOverdue() || !send(message, flight)) {
                    break;
                }
            }
        } finally {
            whenSent.run();
        }
        return flight;
    }

    /** Sends one message; returns false if the channel is closed. */
    private boolean send(Outgoing message, Flight flight) {
        synchronized (this) {
            if (closure != null) {
                return false;
            }
            outstanding.put(nextNumber, new Sent(message, flight));
            flight.open++;
        }
        try {
            RabbitMessage sent = message.message();
            channel.basicPublish(sent.exchange(), sent.routingKey(), true, sent.properties(), sent.body());
            nextNumber++;
            return true;
        } catch (IOException | ShutdownSignalException e) {
            close(CloseReason.of(e));
            return false;
        } catch (RuntimeException e) {
            // Nothing was sent: the protocol cannot express this message, for instance its routing key is too long.
            synchronized (this) {
                outstanding.remove(nextNumber);
                flight.confirms.settle(
                        message, BatchOutcome.of(DispatchResult.dead("cannot be encoded as an AMQP message: " + e)));
                flight.answered();
            }
            return true;
        }
    }

    /** The messages of a batch that were sent over this channel. */
    final class Flight {

        private final Confirms confirms;
        private final Set<Integer> returned = new HashSet<>(0);
        private int open;
        private Runnable whenAnswered = () -> {};

        private Flight(Confirms confirms) {
            this.confirms = confirms;
        }

        /**
         * Waits until each message is settled, the channel is closed or the time is over.
         *
         * @return why the channel closed, if it did before all were settled
         */
        @Nullable
        CloseReason await() throws InterruptedException {
            synchronized (ConfirmChannel.this) {
                while (open > 0 && closure == null && !confirms.isOverdue()) {
                    TimeUnit.NANOSECONDS.timedWait(
                            ConfirmChannel.this, confirms.nanosLeft() + TimeUnit.MILLISECONDS.toNanos(1));
                }
                return closure;
            }
        }

        /** Runs the action when there is nothing left to wait for, or now if there is not. */
        void whenAnswered(Runnable action) {
            synchronized (ConfirmChannel.this) {
                if (open == 0 || closure != null) {
                    action.run();
                } else {
                    whenAnswered = action;
                }
            }
        }

        private void answered() {
            open--;
            if (open == 0) {
                ConfirmChannel.this.notifyAll();
                whenAnswered.run();
            }
        }

        private void settle(Outgoing message, boolean accepted) {
            if (!returned.remove(message.index())) {
                if (accepted) {
                    confirms.confirmed(message);
                } else {
                    confirms.refused(message);
                }
            }
            answered();
        }
    }

    /** Returns whether the channel is open, and no batch has waited in vain for its answers. */
    synchronized boolean isInOrder() {
        return closure == null
                && channel.isOpen()
                && (outstanding.isEmpty()
                        || !outstanding.firstEntry().getValue().flight.confirms.isOverdue());
    }

    /** Returns whether the channel can take the next batch: it is open and owes no answer. */
    synchronized boolean isReusable() {
        return closure == null && outstanding.isEmpty() && channel.isOpen();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Closes the channel, whatever its state; may block for as long as the broker takes to answer. */
    void abort() {
        try {
            channel.abort();
        } catch (IOException | ShutdownSignalException e) {
            // it is gone either way
        }
    }

    private synchronized void confirmed(long number, boolean multiple, boolean accepted) {
        NavigableMap<Long, Sent> answered = outstanding.subMap(multiple ? 0 : number, true, number, true);
        answered.values().forEach(sent -> sent.flight.settle(sent.message, accepted));
        answered.clear();
    }

    private synchronized void returned(Return message) {
        String id = message.getProperties().getMessageId();
        for (Sent sent : outstanding.values()) {
            if (sent.message.event().eventId().equals(id) && sent.flight.returned.add(sent.message.index())) {
                sent.flight.confirms.unroutable(sent.message, unroutable(message));
                return;
            }
        }
    }

    private static InvalidTargetException unroutable(Return message) {
        String target = "exchange '" + message.getExchange() + "', routing key '" + message.getRoutingKey() + "'";
        return new InvalidTargetException(
                target, "unroutable: " + message.getReplyCode() + " " + message.getReplyText() + " (" + target + ")");
    }

    private void closed(ShutdownSignalException signal) {
        close(CloseReason.of(signal));
    }

    private synchronized void close(CloseReason reason) {
        if (closure == null) {
            closure = reason;
            outstanding.values().stream().map(Sent::flight).distinct().forEach(flight -> flight.whenAnswered.run());
        }
        notifyAll();
    }
}
