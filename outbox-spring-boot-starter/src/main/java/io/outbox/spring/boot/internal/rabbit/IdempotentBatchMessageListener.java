package io.outbox.spring.boot.internal.rabbit;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.internal.consuming.BrokerListeners.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

/** Calls a listener for those messages of a batch that are new, in one transaction that has ended when the container goes on. */
final class IdempotentBatchMessageListener implements ChannelAwareBatchMessageListener {

    private final ChannelAwareBatchMessageListener listener;
    private final Listener idempotent;
    private final boolean answersItself;

    IdempotentBatchMessageListener(
            ChannelAwareBatchMessageListener listener, Listener idempotent, boolean answersItself) {
        this.listener = listener;
        this.idempotent = idempotent;
        this.answersItself = answersItself;
    }

    @Override
    public void onMessageBatch(List<Message> messages, Channel channel) {
        try {
            new IdempotentCall(idempotent, messages, channel, answersItself).run(listener::onMessageBatch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** For a message that comes alone, where the container makes no batches of what it receives. */
    @Override
    public void onMessage(Message message, Channel channel) throws Exception {
        new IdempotentCall(idempotent, List.of(message), channel, answersItself)
                .run((messages, itsChannel) -> listener.onMessage(message, itsChannel));
    }

    @Override
    public void containerAckMode(AcknowledgeMode mode) {
        listener.containerAckMode(mode);
    }
}
