package io.outbox.spring.boot.consumer.brokers;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.listener.BatchListenerFailedException;

/** Finds the message of a batch that a failure is about. */
final class BatchFailures {

    private BatchFailures() {}

    /**
     * Returns where the message is among all; -1 if the failure does not say which message it is, or says so in a way
     * that the container would misunderstand.
     *
     * @param fresh what the listener was called with, in whose terms it speaks
     */
    static int position(
            RuntimeException failure,
            List<? extends ConsumerRecord<?, ?>> fresh,
            List<? extends ConsumerRecord<?, ?>> all) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            ConsumerRecord<?, ?> message = message(cause, fresh);
            int position = message == null ? -1 : BatchPositions.of(message, all);
            if (position >= 0) {
                return position;
            }
            if (cause instanceof BatchListenerFailedException) {
                return -1;
            }
        }
        return -1;
    }

    /** Returns what to tell the container of a failure that has no position: nothing that names another message. */
    static RuntimeException unnamed(RuntimeException failure, List<? extends ConsumerRecord<?, ?>> fresh) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BatchListenerFailedException named) {
                return misleading(named, failure, fresh.size());
            }
        }
        return failure;
    }

    private static ConsumerRecord<?, ?> message(Throwable failure, List<? extends ConsumerRecord<?, ?>> fresh) {
        if (failure instanceof UnreadableRecordException unreadable) {
            return unreadable.message();
        }
        if (!(failure instanceof BatchListenerFailedException named)) {
            return null;
        }
        if (named.getRecord() != null) {
            return named.getRecord();
        }
        int index = named.getIndex();
        return index >= 0 && index < fresh.size() ? fresh.get(index) : null;
    }

    /** The container would look the message up in the whole batch, so the failure must not be among the causes. */
    private static IllegalStateException misleading(
            BatchListenerFailedException named, RuntimeException failure, int size) {
        String message =
                named.getRecord() == null ? "message " + named.getIndex() : "a message that is not of its batch";
        IllegalStateException unusable = new IllegalStateException("A batch listener failed at " + message
                + ", but it was given " + size + " messages, those that were new");
        unusable.addSuppressed(failure);
        return unusable;
    }
}
