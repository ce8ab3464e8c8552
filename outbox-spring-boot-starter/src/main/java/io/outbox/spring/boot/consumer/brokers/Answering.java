package io.outbox.spring.boot.consumer.brokers;

/**
 * Who answers the broker.
 *
 * @param isListeners whether the listener does, and not the container
 * @param requeues whether what the container refuses comes again
 * @param isOneByOne whether messages of a batch can be answered before the container answers for the batch: if nothing is
 *     between it and the listener that would call the listener again
 */
record Answering(boolean isListeners, boolean requeues, boolean isOneByOne) {}
