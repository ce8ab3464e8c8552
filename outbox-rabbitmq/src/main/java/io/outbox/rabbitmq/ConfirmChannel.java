package io.outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.RecoverableException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A channel in confirm mode that sends one batch at a time.
 *
 * <p>The broker numbers the messages of a channel and confirms them by number. A message that no queue takes is returned
 * first and then confirmed like any other; the return is what makes it a failure. When channel or connection close, the
 * client says so at once, and no more confirms come.
 *
 * <p>The listeners are registered once, for the life of the channel. They run on the connection's thread; batches run on
 * the worker that has borrowed the channel.
 */
final class ConfirmChannel {

    private final Channel channel;
    private final NavigableMap<Long, Outgoing> outstanding = new TreeMap<>();
    private final Set<Integer> returned = new HashSet<>();
    /** Counts what the broker has received; the client's own counter also counts what it could not encode. */
    private long nextNumber = 1;

    private Confirms confirms;
    private CloseReason closure;

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
     * Sends the messages and waits until each is settled, the channel is closed or the time is over.
     *
     * @param whenSent called once, after the last message and before the wait
     * @return why the channel closed, or {@code null} if it did not
     */
    CloseReason publish(List<Outgoing> messages, Confirms batch, Runnable whenSent) throws InterruptedException {
        synchronized (this) {
            confirms = batch;
        }
        try {
            for (Outgoing message : messages) {
                if (batch.isOverdue() || !send(message)) {
                    break;
                }
            }
        } finally {
            whenSent.run();
        }
        return awaitConfirms();
    }

    /** Sends one message; returns false if the channel is closed. */
    private boolean send(Outgoing message) {
        synchronized (this) {
            if (closure != null) {
                return false;
            }
            outstanding.put(nextNumber, message);
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
                confirms.settle(
                        message, BatchOutcome.of(DispatchResult.dead("cannot be encoded as an AMQP message: " + e)));
            }
            return true;
        }
    }

    private synchronized CloseReason awaitConfirms() throws InterruptedException {
        while (!outstanding.isEmpty() && closure == null && !confirms.isOverdue()) {
            TimeUnit.NANOSECONDS.timedWait(this, confirms.nanosLeft() + TimeUnit.MILLISECONDS.toNanos(1));
        }
        return closure;
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
        NavigableMap<Long, Outgoing> answered = outstanding.subMap(multiple ? 0 : number, true, number, true);
        answered.values().forEach(message -> settle(message, accepted));
        answered.clear();
        if (outstanding.isEmpty()) {
            notifyAll();
        }
    }

    private void settle(Outgoing message, boolean accepted) {
        if (returned.remove(message.index())) {
            return;
        }
        if (accepted) {
            confirms.confirmed(message);
        } else {
            confirms.refused(message);
        }
    }

    private synchronized void returned(Return message) {
        String id = message.getProperties().getMessageId();
        for (Outgoing sent : outstanding.values()) {
            if (sent.event().eventId().equals(id) && returned.add(sent.index())) {
                confirms.unroutable(
                        sent,
                        new RecoverableException("unroutable: " + message.getReplyCode() + " " + message.getReplyText()
                                + " (exchange '" + message.getExchange() + "', routing key '" + message.getRoutingKey()
                                + "')"));
                return;
            }
        }
    }

    private void closed(ShutdownSignalException signal) {
        close(CloseReason.of(signal));
    }

    private synchronized void close(CloseReason reason) {
        if (closure == null) {
            closure = reason;
        }
        notifyAll();
    }
}
