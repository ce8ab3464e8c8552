package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.springframework.amqp.core.Message;

/** One delivery of messages to a listener, of which the broker learns after the transaction. */
final class IdempotentCall {

    private final Listener idempotent;
    private final List<Message> messages;
    private final Channel channel;
    private final boolean answersItself;
    private final DeferredAnswers answers;
    private final Set<Message> given = Collections.newSetFromMap(new IdentityHashMap<>());

    private IdempotentCall(
            Listener idempotent, List<Message> messages, Channel channel, boolean answersItself, boolean mayAnswer) {
        this.idempotent = idempotent;
        this.messages = messages;
        this.channel = channel;
        this.answersItself = answersItself;
        this.answers = mayAnswer && channel != null ? new DeferredAnswers(channel) : null;
    }

    /**
     * Creates a call with a message that comes alone.
     *
     * @param answersItself whether the listener acknowledges messages, and not the container
     */
    static IdempotentCall ofOne(Listener idempotent, Message message, Channel channel, boolean answersItself) {
        return new IdempotentCall(idempotent, List.of(message), channel, answersItself, answersItself);
    }

    /** Creates a call with a batch, of which Spring rejects what cannot be converted, whoever acknowledges the others. */
    static IdempotentCall ofBatch(Listener idempotent, List<Message> messages, Channel channel, boolean answersItself) {
        return new IdempotentCall(idempotent, messages, channel, answersItself, true);
    }

    /** Calls a listener. */
    @FunctionalInterface
    interface Target {
        void onMessages(List<Message> messages, Channel channel) throws Exception;
    }

    void run(Target listener) throws IOException {
        idempotent.requireNoTransaction();
        try {
            idempotent.consumer().consume(messages, fresh -> call(listener, fresh));
        } catch (Rejected e) {
            if (answersItself) {
                passOnAfterRollback();
            } else {
                consumeOthers(listener, e);
            }
            return;
        } catch (Throwable e) {
            passOnAfterRollback(e);
            throw e;
        }
        if (answersItself) {
            acknowledgeSkipped();
        }
        if (answers != null) {
            answers.passOn();
        }
    }

    /** The container goes on to acknowledge what was not rejected, and was rolled back with it. */
    private void consumeOthers(Target listener, Rejected rejection) throws IOException {
        List<Message> others = answers.notRefused(messages);
        if (others.size() == messages.size()) {
            throw rejection;
        }
        if (!others.isEmpty()) {
            ofBatch(idempotent, others, channel, false).run(listener);
        }
        answers.passOn();
    }

    private void call(Target listener, List<Message> fresh) {
        given.addAll(fresh);
        ListenerCall call = () -> listener.onMessages(fresh, answers == null ? channel : answers.asChannel());
        call.proceed();
        if (answers != null) {
            answers.requireNoRefusal();
        }
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
