package io.outbox.spring.boot.consumer.brokers;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Where a message is in the batch as the container knows it. */
final class BatchPositions {

    private BatchPositions() {}

    /** Returns the index of a message by where it is in Kafka, as the container finds it; -1 if it is not there. */
    static int of(ConsumerRecord<?, ?> message, List<? extends ConsumerRecord<?, ?>> messages) {
        for (int i = 0; i < messages.size(); i++) {
            if (isSame(message, messages.get(i))) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isSame(ConsumerRecord<?, ?> one, ConsumerRecord<?, ?> other) {
        return one.offset() == other.offset()
                && one.partition() == other.partition()
                && one.topic().equals(other.topic());
    }
}
