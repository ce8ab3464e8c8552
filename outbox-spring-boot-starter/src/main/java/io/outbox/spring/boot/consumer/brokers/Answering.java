package io.outbox.spring.boot.consumer.brokers;

/**
 * Who answers the broker.
 *
 * @param isListeners whether the listener does, and not the container
 * @param requeues whether what the container refuses comes again
 */
record Answering(boolean isListeners, boolean requeues) {}
