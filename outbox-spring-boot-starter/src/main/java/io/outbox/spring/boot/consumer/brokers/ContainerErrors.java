package io.outbox.spring.boot.consumer.brokers;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * What becomes of messages that failed, in the container of an idempotent listener of Kafka. While the consumer's
 * database is away, they come again without end. All other failures are those of a message, and are left to another
 * handler.
 */
final class ContainerErrors implements CommonErrorHandler {

    private static final long FIRST_PAUSE = 100;
    private static final double GROWTH = 2;
    private static final long LONGEST_PAUSE = 1_000;
    private static final long LONGEST_PAUSE_WITHOUT_DATABASE = 5_000;
    /** The sum of nine pauses. The number of attempts has another type in each line of Spring. */
    private static final long NINE_PAUSES = 6_500;

    private final CommonErrorHandler ofMessages;
    private final DefaultErrorHandler ofDatabase;

    /**
     * Creates it.
     *
     * @param ofMessages decides about messages that fail
     */
    ContainerErrors(CommonErrorHandler ofMessages) {
        this.ofMessages = ofMessages;
        this.ofDatabase = withoutEnd(LONGEST_PAUSE_WITHOUT_DATABASE);
        ofDatabase.setSeekAfterError(ofMessages.seeksAfterHandling());
        ofDatabase.setLogLevel(KafkaException.Level.WARN);
    }

    /**
     * Returns a handler that gives a message to a recoverer after ten attempts, and begins again if that fails.
     *
     * @param recoverer {@code null} to let a message come again until it is consumed
     */
    static DefaultErrorHandler recovering(ConsumerRecordRecoverer recoverer) {
        return recoverer == null ? withoutEnd(LONGEST_PAUSE) : new DefaultErrorHandler(recoverer, ninePauses());
    }

    /** Returns the same as {@link #recovering} for a container with transactions of Kafka. */
    static <K, V> DefaultAfterRollbackProcessor<K, V> afterRollback(ConsumerRecordRecoverer recoverer) {
        return recoverer == null
                ? afterRollbackWithoutEnd(LONGEST_PAUSE)
                : new DefaultAfterRollbackProcessor<>(recoverer, ninePauses());
    }

    /** Returns what lets a message come again until the database is back, in a container with transactions of Kafka. */
    static <K, V> DefaultAfterRollbackProcessor<K, V> afterRollbackWithoutDatabase() {
        return afterRollbackWithoutEnd(LONGEST_PAUSE_WITHOUT_DATABASE);
    }

    private static <K, V> DefaultAfterRollbackProcessor<K, V> afterRollbackWithoutEnd(long longestPause) {
        DefaultAfterRollbackProcessor<K, V> processor = new DefaultAfterRollbackProcessor<>(pauses(longestPause));
        processor.setClassifications(Map.of(), true);
        return processor;
    }

    private static ExponentialBackOff ninePauses() {
        ExponentialBackOff pauses = pauses(LONGEST_PAUSE);
        pauses.setMaxElapsedTime(NINE_PAUSES);
        return pauses;
    }

    private static DefaultErrorHandler withoutEnd(long longestPause) {
        DefaultErrorHandler handler = new DefaultErrorHandler(pauses(longestPause));
        // what other handlers take for hopeless would be given up and committed
        handler.setClassifications(Map.of(), true);
        return handler;
    }

    private static ExponentialBackOff pauses(long longest) {
        ExponentialBackOff pauses = new ExponentialBackOff(FIRST_PAUSE, GROWTH);
        pauses.setMaxInterval(longest);
        return pauses;
    }

    private CommonErrorHandler of(Exception failure) {
        return DatabaseAwayException.isCauseOf(failure) ? ofDatabase : ofMessages;
    }

    @Override
    public boolean handleOne(
            Exception failure, ConsumerRecord<?, ?> message, Consumer<?, ?> kafka, MessageListenerContainer container) {
        return of(failure).handleOne(failure, message, kafka, container);
    }

    @Override
    public void handleRemaining(
            Exception failure,
            List<ConsumerRecord<?, ?>> messages,
            Consumer<?, ?> kafka,
            MessageListenerContainer container) {
        of(failure).handleRemaining(failure, messages, kafka, container);
    }

    @Override
    public void handleBatch(
            Exception failure,
            ConsumerRecords<?, ?> messages,
            Consumer<?, ?> kafka,
            MessageListenerContainer container,
            Runnable invokeListener) {
        of(failure).handleBatch(failure, messages, kafka, container, invokeListener);
    }

    @Override
    public <K, V> ConsumerRecords<K, V> handleBatchAndReturnRemaining(
            Exception failure,
            ConsumerRecords<?, ?> messages,
            Consumer<?, ?> kafka,
            MessageListenerContainer container,
            Runnable invokeListener) {
        return of(failure).handleBatchAndReturnRemaining(failure, messages, kafka, container, invokeListener);
    }

    @Override
    public void handleOtherException(
            Exception failure, Consumer<?, ?> kafka, MessageListenerContainer container, boolean isBatch) {
        ofMessages.handleOtherException(failure, kafka, container, isBatch);
    }

    @Override
    public boolean seeksAfterHandling() {
        return ofMessages.seeksAfterHandling();
    }

    @Override
    public boolean deliveryAttemptHeader() {
        return ofMessages.deliveryAttemptHeader();
    }

    @Override
    public int deliveryAttempt(TopicPartitionOffset message) {
        return ofMessages.deliveryAttempt(message);
    }

    @Override
    public void clearThreadState() {
        ofDatabase.clearThreadState();
        ofMessages.clearThreadState();
    }

    @Override
    public boolean isAckAfterHandle() {
        return ofMessages.isAckAfterHandle();
    }

    @Override
    public void setAckAfterHandle(boolean acknowledge) {
        ofMessages.setAckAfterHandle(acknowledge);
    }

    @Override
    public void onPartitionsAssigned(
            Consumer<?, ?> kafka, Collection<TopicPartition> partitions, Runnable publishPause) {
        ofMessages.onPartitionsAssigned(kafka, partitions, publishPause);
    }
}
