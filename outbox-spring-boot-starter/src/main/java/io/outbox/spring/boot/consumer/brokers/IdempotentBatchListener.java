package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.adapter.AbstractDelegatingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Calls a listener for those messages of a batch that are new, in one transaction that has ended when the container
 * goes on.
 *
 * <p>A listener may say which message of the batch it failed at, or from which one on it accepts none. The container
 * then takes those before for done. But they were rolled back with the others. So they are consumed once more, in a
 * transaction without the others, before the container learns of it.
 *
 * <p>A failure that does not say so is one of some message: all are consumed one by one, so that the container learns
 * which. It would otherwise count the failure against the whole batch, and give all of it up in the end.
 */
final class IdempotentBatchListener<K, V>
        extends AbstractDelegatingMessageListenerAdapter<BatchAcknowledgingConsumerAwareMessageListener<K, V>>
        implements BatchAcknowledgingConsumerAwareMessageListener<K, V> {

    private final Listener idempotent;
    private final BatchCalls<K, V> calls;

    IdempotentBatchListener(BatchAcknowledgingConsumerAwareMessageListener<K, V> listener, Listener idempotent) {
        super(listener);
        this.idempotent = idempotent;
        this.calls = BatchCalls.of(listener);
    }

    @Override
    public void onMessage(List<ConsumerRecord<K, V>> messages, Acknowledgment acknowledgment, Consumer<?, ?> kafka) {
        idempotent.requireNoTransaction();
        DeferredAcknowledgment deferred = DeferredAcknowledgment.of(acknowledgment, messages);
        int accepted = consume(messages, deferred, kafka);
        if (deferred != null && accepted < messages.size()) {
            deferred.passOnRefusalFrom(accepted);
        }
    }

    /** Consumes messages, all of them or the first ones that the listener accepts, and returns how many. */
    private int consume(List<ConsumerRecord<K, V>> messages, DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
        if (messages.size() > 1 && !messages.stream().allMatch(idempotent.consumer()::isIdentified)) {
            return consumeEach(messages, deferred, kafka);
        }
        BatchCall call = new BatchCall(deferred, kafka);
        boolean anyNew;
        try {
            anyNew = idempotent.consume(messages, call::run).isPresent();
        } catch (Rejected e) {
            return consumeFirst(deferred.refusedFrom(), messages, deferred, kafka);
        } catch (DatabaseAwayException e) {
            throw new BatchListenerFailedException(e.getMessage(), e, 0);
        } catch (RuntimeException e) {
            int failed = BatchFailures.position(e, call.fresh, messages);
            if (failed < 0 && messages.size() > 1) {
                return consumeEach(messages, deferred, kafka);
            }
            if (failed < 0) {
                throw new BatchListenerFailedException(e.getMessage(), BatchFailures.unnamed(e, call.fresh), 0);
            }
            int accepted = consumeFirst(failed, messages, deferred, kafka);
            if (accepted < failed) {
                throw new BatchListenerFailedException(
                        "A listener refused messages that it had accepted before", e, accepted);
            }
            throw new BatchListenerFailedException(e.getMessage(), e, failed);
        }
        call.passOn(anyNew);
        return messages.size();
    }

    private int consumeFirst(
            int count, List<ConsumerRecord<K, V>> messages, DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
        return count == 0 ? 0 : consumePart(messages.subList(0, count), deferred, kafka);
    }

    private int consumePart(List<ConsumerRecord<K, V>> part, DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
        return consume(part, DeferredAcknowledgment.forPart(deferred, part), kafka);
    }

    /**
     * Consumes messages one by one, up to the first that fails, which is the only one to blame. Those before are done
     * then, and the container must learn so.
     */
    private int consumeEach(
            List<ConsumerRecord<K, V>> messages, DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
        for (int i = 0; i < messages.size(); i++) {
            try {
                if (consumePart(messages.subList(i, i + 1), deferred, kafka) == 0) {
                    return i;
                }
            } catch (BatchListenerFailedException e) {
                throw new BatchListenerFailedException(e.getMessage(), e.getCause(), i);
            }
        }
        return messages.size();
    }

    /** One call of the listener. */
    private final class BatchCall {

        private final DeferredAcknowledgment deferred;
        private final Consumer<?, ?> kafka;
        private List<ConsumerRecord<K, V>> fresh = List.of();

        private BatchCall(DeferredAcknowledgment deferred, Consumer<?, ?> kafka) {
            this.deferred = deferred;
            this.kafka = kafka;
        }

        private boolean run(List<ConsumerRecord<K, V>> messages) {
            fresh = List.copyOf(messages);
            if (deferred != null) {
                deferred.give(fresh);
            }
            calls.call(messages, deferred, kafka);
            if (deferred != null) {
                deferred.requireNoRefusal();
            }
            return true;
        }

        private void passOn(boolean wasCalled) {
            if (deferred == null) {
                return;
            }
            if (wasCalled) {
                deferred.passOn();
            } else {
                deferred.acknowledgeSkipped();
            }
        }
    }
}
