package io.outbox.spring.boot.consumer.brokers;

/**
 * Who answers the broker.
 *
 * @param isListeners whether the listener does, and not the container
 * @param requeues whether what the container refuses comes again
 * @param isOneByOne whether messages of a batch can be answered before the container answers for the batch: if nothing
 * is
 *     between it and the listener that would call the listener again
 * @param isPickedOver whether Spring's own error handler rejects some messages by their failure, whatever is refused
 * otherwise
 */
record Answering(boolean isListeners, boolean requeues, boolean isOneByOne, boolean isPickedOver) {

    /** Returns a failure as the container is to see it: so that what is set decides about all of them alike. */
    RuntimeException toContainer(RuntimeException failure) {
        return isPickedOver ? new MessageFailedException(failure) : failure;
    }
}
