package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.springframework.amqp.ImmediateRequeueAmqpException;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.util.backoff.BackOffExecution;
import org.springframework.util.backoff.ExponentialBackOff;

/** One delivery of messages to a listener, of which the broker learns after the transaction. */
final class IdempotentCall {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final long FIRST_PAUSE = 100;
    private static final ExponentialBackOff PAUSES = new ExponentialBackOff(FIRST_PAUSE, 2);

    static {
        PAUSES.setMaxInterval(5_000);
    }

    private final Listener idempotent;
    private final List<Message> messages;
    private final Channel channel;
    private final boolean answersItself;
    private final boolean mayAnswer;
    /** Whether what the container refuses comes again. */
    private final boolean requeues;

    private final Set<Message> given = Collections.newSetFromMap(new IdentityHashMap<>());
    private DeferredAnswers answers;

    private IdempotentCall(
            Listener idempotent, List<Message> messages, Channel channel, Answering answering, boolean mayAnswer) {
        this.idempotent = idempotent;
        this.messages = messages;
        this.channel = channel;
        this.answersItself = answering.isListeners();
        this.requeues = answering.requeues();
        this.mayAnswer = mayAnswer && channel != null;
    }

    /**
     * Calls a listener with a message that comes alone. One that fails before the listener has answered for it comes
     * again, also where the container leaves answers to the listener: it would reject some such messages, and forget
     * the others.
     */
    static void runOne(
            Listener idempotent,
            Message message,
            Channel channel,
            Answering answering,
            ChannelAwareMessageListener listener)
            throws IOException {
        IdempotentCall call =
                new IdempotentCall(idempotent, List.of(message), channel, answering, answering.isListeners());
        try {
            call.run((messages, itsChannel) -> listener.onMessage(message, itsChannel));
        } catch (RuntimeException e) {
            if (answering.isListeners() && answering.isPickedOver()) {
                call.requeueUnanswered(message);
            }
            throw answering.toContainer(e);
        }
    }

    private void requeueUnanswered(Message message) throws IOException {
        if (isOpen() && answered().isEmpty()) {
            channel.basicNack(message.getMessageProperties().getDeliveryTag(), false, requeues);
        }
    }

    /**
     * Creates a call with a batch, of which Spring rejects what cannot be converted, whoever acknowledges the others.
     */
    static IdempotentCall ofBatch(Listener idempotent, List<Message> messages, Channel channel, Answering answering) {
        return new IdempotentCall(idempotent, messages, channel, answering, true);
    }

    /** Calls a listener. */
    @FunctionalInterface
    interface Target {
        void onMessages(List<Message> messages, Channel channel) throws Exception;
    }

    /**
     * Makes the call, and repeats it while the consumer's database is away: the thread of the container waits, since a
     * container may lose what it is told of as a failure. Messages that are not answered stay with the broker, which
     * gives them to another consumer when the channel has been closed.
     */
    void run(Target listener) throws IOException {
        BackOffExecution pauses = PAUSES.start();
        while (true) {
            try {
                runOnce(listener);
                return;
            } catch (DatabaseAwayException e) {
                if (!pause(pauses.nextBackOff(), e)) {
                    throw new ImmediateRequeueAmqpException(e);
                }
            }
        }
    }

    /** Returns whether the channel is still open after a pause. */
    private boolean pause(long millis, DatabaseAwayException reason) {
        LOG.log(millis == FIRST_PAUSE ? Level.WARNING : Level.DEBUG, reason.getMessage(), reason.getCause());
        try {
            for (long left = millis; left > 0 && isOpen(); left -= FIRST_PAUSE) {
                Thread.sleep(FIRST_PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        return isOpen();
    }

    private boolean isOpen() {
        return channel != null && channel.isOpen();
    }

    private void runOnce(Target listener) throws IOException {
        idempotent.requireNoTransaction();
        answers = mayAnswer ? new DeferredAnswers(channel) : null;
        given.clear();
        try {
            idempotent.consume(messages, fresh -> call(listener, fresh));
        } catch (Rejected e) {
            if (answersItself) {
                passOnAfterRollback();
            } else {
                consumeOthers(listener, e);
            }
            return;
        } catch (DatabaseAwayException e) {
            // the call is repeated, so nothing is said to the broker
            throw e;
        } catch (Throwable e) {
            if (messages.size() == 1) {
                // of several, each is delivered by itself next
                passOnAfterRollback(e);
            }
            throw e;
        }
        if (answersItself) {
            acknowledgeSkipped();
        }
        if (answers != null) {
            answers.passOn();
        }
    }

    /** Returns the messages for which the broker has an answer. */
    List<Message> answered() {
        return answers == null ? List.of() : answers.among(messages);
    }

    /** The container goes on to acknowledge what was not rejected, and was rolled back with it. */
    private void consumeOthers(Target listener, Rejected rejection) throws IOException {
        List<Message> others = answers.notRefused(messages);
        if (others.size() == messages.size()) {
            throw rejection;
        }
        if (requeues) {
            List<Message> refused = new ArrayList<>(messages);
            refused.removeAll(others);
            answers = null; // Spring's rejection is not passed on
            throw new UnreadableMessageException(
                    "The application's MessageConverter cannot read the message", refused.get(0), rejection);
        }
        if (!others.isEmpty()) {
            ofBatch(idempotent, others, channel, new Answering(false, false, true, false))
                    .run(listener);
        }
        answers.passOn();
    }

    private boolean call(Target listener, List<Message> fresh) {
        given.addAll(fresh);
        ListenerCall call = () -> listener.onMessages(fresh, answers == null ? channel : answers.asChannel());
        call.proceed();
        if (answers != null) {
            answers.requireNoRefusal();
        }
        return true;
    }

    private void acknowledgeSkipped() throws IOException {
        if (answers == null) {
            return;
        }
        List<Message> skipped = new ArrayList<>(messages);
        skipped.removeIf(given::contains);
        answers.acknowledgeSkipped(skipped);
    }

    private void passOnAfterRollback() throws IOException {
        if (answers != null) {
            acknowledgeSkipped();
            answers.passOnAfterRollback();
        }
    }

    /** The failure of the listener matters more than that of telling the broker. */
    private void passOnAfterRollback(Throwable failure) {
        if (answers != null) {
            try {
                answers.passOnAfterRollback();
            } catch (IOException | RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }
}
