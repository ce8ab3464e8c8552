package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/** Calls a listener for messages that are new, in a transaction that has ended when the container goes on. */
final class IdempotentRecordListener<K, V>
        extends AbstractDelegatingMessageListenerAdapter<AcknowledgingConsumerAwareMessageListener<K, V>>
        implements AcknowledgingConsumerAwareMessageListener<K, V> {

    private final Listener idempotent;

    IdempotentRecordListener(AcknowledgingConsumerAwareMessageListener<K, V> listener, Listener idempotent) {
        super(listener);
        this.idempotent = idempotent;
    }

    @Override
    public void onMessage(ConsumerRecord<K, V> message, Acknowledgment acknowledgment, Consumer<?, ?> kafka) {
        idempotent.requireNoTransaction();
        DeferredAcknowledgment deferred = DeferredAcknowledgment.of(acknowledgment, List.of(message));
        boolean isNew;
        try {
            isNew = idempotent
                    .consume(List.of(message), fresh -> call(message, deferred, kafka))
                    .isPresent();
        } catch (Rejected e) {
            deferred.passOnRefusal();
            return;
        }
        if (deferred == null) {
            return;
        }
        if (isNew) {
            deferred.passOn();
        } else {
            deferred.acknowledgeSkipped();
        }
    }

    private boolean call(ConsumerRecord<K, V> message, DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
        delegate.onMessage(message, deferred, kafka);
        if (deferred != null) {
            deferred.requireNoRefusal();
        }
        return true;
    }
}
