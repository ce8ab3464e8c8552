package io.outbox.spring.boot.consumer.brokers;

import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.ContainerProperties.EOSMode;
import org.springframework.kafka.listener.MessageListenerContainer;

/** The same as {@link ContainerErrors}, for a container with transactions of Kafka. */
final class RollbackErrors<K, V> implements AfterRollbackProcessor<K, V> {

    private final AfterRollbackProcessor<K, V> ofMessages;
    private final AfterRollbackProcessor<K, V> ofDatabase = ContainerErrors.afterRollbackWithoutDatabase();

    /**
     * Creates it.
     *
     * @param ofMessages decides about messages that fail
     */
    @SuppressWarnings("unchecked") // it only takes keys and values
    RollbackErrors(AfterRollbackProcessor<? super K, ? super V> ofMessages) {
        this.ofMessages = (AfterRollbackProcessor<K, V>) ofMessages;
    }

    private AfterRollbackProcessor<K, V> of(Exception failure) {
        return DatabaseAwayException.isCauseOf(failure) ? ofDatabase : ofMessages;
    }

    @Override
    public void process(
            List<ConsumerRecord<K, V>> messages,
            Consumer<K, V> kafka,
            MessageListenerContainer container,
            Exception failure,
            boolean recoverable,
            EOSMode mode) {
        of(failure).process(messages, kafka, container, failure, recoverable, mode);
    }

    @Override
    public void processBatch(
            ConsumerRecords<K, V> messages,
            List<ConsumerRecord<K, V>> list,
            Consumer<K, V> kafka,
            MessageListenerContainer container,
            Exception failure,
            boolean recoverable,
            EOSMode mode) {
        of(failure).processBatch(messages, list, kafka, container, failure, recoverable, mode);
    }

    @Override
    public boolean isProcessInTransaction() {
        return ofMessages.isProcessInTransaction();
    }

    @Override
    public void clearThreadState() {
        ofDatabase.clearThreadState();
        ofMessages.clearThreadState();
    }
}
