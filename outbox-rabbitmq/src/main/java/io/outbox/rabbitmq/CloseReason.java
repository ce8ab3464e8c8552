package io.outbox.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.EventException;
import io.outbox.InvalidTargetException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import java.util.Set;

/**
 * Why a channel is not usable any more.
 *
 * @param replyCode the broker's code if it closed channel or connection for what was sent to it, else 0: the connection
 *     is gone
 * @param text the broker's words, or those of the network
 */
record CloseReason(int replyCode, String text, Throwable cause) {

    /**
     * Why a connection is closed that did nothing wrong: its node is stopped, or an operator wants it so; the broker
     * has an error, or lacks something; the user is not, or no longer, let in.
     */
    private static final Set<Integer> NOT_ABOUT_MESSAGES = Set.of(
            AMQP.CONNECTION_FORCED, AMQP.INTERNAL_ERROR, AMQP.RESOURCE_ERROR, AMQP.ACCESS_REFUSED, AMQP.NOT_ALLOWED);

    /** Finds the broker's reason in what the client threw or reported. */
    static CloseReason of(Throwable thrown) {
        for (Throwable error = thrown; error != null; error = error.getCause()) {
            if (error instanceof ShutdownSignalException signal) {
                return of(signal);
            }
        }
        return new CloseReason(0, thrown.toString(), thrown);
    }

    private static CloseReason of(ShutdownSignalException signal) {
        Method reason = signal.getReason();
        if (signal.isInitiatedByApplication()) {
            return new CloseReason(0, "the publisher is closed", signal);
        }
        if (reason instanceof AMQP.Channel.Close close) {
            return new CloseReason(close.getReplyCode(), close.getReplyCode() + " " + close.getReplyText(), signal);
        }
        if (reason instanceof AMQP.Connection.Close close) {
            int code = NOT_ABOUT_MESSAGES.contains(close.getReplyCode()) ? 0 : close.getReplyCode();
            return new CloseReason(code, close.getReplyCode() + " " + close.getReplyText(), signal);
        }
        Throwable cause = signal.getCause() != null ? signal.getCause() : signal;
        return new CloseReason(0, cause.toString(), signal);
    }

    boolean isConnectionLost() {
        return replyCode == 0;
    }

    /** Whether the broker finds fault with the route: the exchange does not exist, or may not be written to. */
    boolean isAboutTheRoute() {
        return replyCode == AMQP.NOT_FOUND || replyCode == AMQP.ACCESS_REFUSED;
    }

    /** Whether the broker finds fault with the message itself, such as its size. */
    boolean isAboutTheMessage() {
        return replyCode == AMQP.PRECONDITION_FAILED;
    }

    /** Returns what it is to the events that were meant for an exchange. */
    EventException failure(String exchange) {
        if (isConnectionLost()) {
            return new RouteUnavailableException("RabbitMQ is unavailable: " + text, cause);
        }
        String reason = "RabbitMQ refused the event: " + text;
        return isAboutTheRoute()
                ? new InvalidTargetException("exchange '" + exchange + "'", reason, cause)
                : new RecoverableException(reason, cause);
    }
}
