package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

/**
 * Calls a listener for those messages of a batch that are new, in one transaction that has ended when the container goes on.
 *
 * <p>Messages that no listener can be given, without an id or with a payload that cannot be read, would keep the others from
 * being consumed as often as they come together. So they are taken out, and each is delivered by itself when the others are
 * done. Where the listener answers the broker, it cannot answer for these; they are refused for it. Otherwise the container
 * answers for the whole batch, by the failure; the others are skipped when they come again.
 */
final class IdempotentBatchMessageListener implements ChannelAwareBatchMessageListener {

    private static final System.Logger LOG = System.getLogger(IdempotentBatchMessageListener.class.getName());

    private final ChannelAwareBatchMessageListener listener;
    private final Listener idempotent;
    private final Answering answering;

    IdempotentBatchMessageListener(
            ChannelAwareBatchMessageListener listener, Listener idempotent, Answering answering) {
        this.listener = listener;
        this.idempotent = idempotent;
        this.answering = answering;
    }

    @Override
    public void onMessageBatch(List<Message> messages, Channel channel) {
        List<Message> together = new ArrayList<>(messages);
        List<Message> apart = new ArrayList<>();
        together.removeIf(message -> !idempotent.consumer().isIdentified(message) && apart.add(message));
        try {
            while (!isConsumed(together, apart, channel)) {
                // without what was taken out
            }
            consumeEach(apart, channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Consumes messages, or takes one out that the listener cannot be given, and returns false. */
    private boolean isConsumed(List<Message> together, List<Message> apart, Channel channel) throws IOException {
        try {
            consume(together, channel);
            return true;
        } catch (RuntimeException e) {
            Optional<Message> culprit = UnreadableMessageException.culprit(e, together);
            if (culprit.isEmpty()) {
                throw e;
            }
            together.removeIf(message -> message == culprit.get());
            apart.add(culprit.get());
            return false;
        }
    }

    private void consume(List<Message> messages, Channel channel) throws IOException {
        if (!messages.isEmpty()) {
            IdempotentCall.ofBatch(idempotent, messages, channel, answering.isListeners())
                    .run(listener::onMessageBatch);
        }
    }

    private void consumeEach(List<Message> messages, Channel channel) throws IOException {
        RuntimeException failure = null;
        for (Message message : messages) {
            try {
                consume(List.of(message), channel);
            } catch (RuntimeException e) {
                if (answering.isListeners() && channel != null) {
                    refuse(message, channel, e);
                } else if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void refuse(Message message, Channel channel, RuntimeException reason) throws IOException {
        LOG.log(
                Level.WARNING,
                () -> "A message for the idempotent listener " + idempotent.name() + " is refused and "
                        + (answering.requeues() ? "comes again" : "does not come again")
                        + ", since the listener cannot be given it",
                reason);
        channel.basicNack(message.getMessageProperties().getDeliveryTag(), false, answering.requeues());
    }

    /** For a message that comes alone, where the container makes no batches of what it receives. */
    @Override
    public void onMessage(Message message, Channel channel) throws Exception {
        IdempotentCall.ofOne(idempotent, message, channel, answering.isListeners())
                .run((messages, itsChannel) -> listener.onMessage(message, itsChannel));
    }

    @Override
    public void containerAckMode(AcknowledgeMode mode) {
        listener.containerAckMode(mode);
    }
}
