package io.outbox.spring.boot.consumer.brokers;

import com.rabbitmq.client.Channel;
import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;

/** Calls a listener for messages that are new, in a transaction that has ended when the container goes on. */
final class IdempotentMessageListener implements ChannelAwareMessageListener {

    private final ChannelAwareMessageListener listener;
    private final Listener idempotent;
    private final Answering answering;

    IdempotentMessageListener(ChannelAwareMessageListener listener, Listener idempotent, Answering answering) {
        this.listener = listener;
        this.idempotent = idempotent;
        this.answering = answering;
    }

    @Override
    public void onMessage(Message message, Channel channel) throws Exception {
        IdempotentCall.runOne(idempotent, message, channel, answering, listener);
    }

    @Override
    public void containerAckMode(AcknowledgeMode mode) {
        listener.containerAckMode(mode);
    }
}
