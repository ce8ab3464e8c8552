package io.outbox.spring.boot.consumer;

import io.outbox.inbox.Unidentified;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings of the idempotent consumer as they are in force: decided once by {@link ConsumerDecision}, checked, and
 * never changed.
 *
 * @param name the name of the application's consumer
 * @param tableName the table of consumed events
 * @param idHeader the header that has the id of an event
 * @param idExpression what gives the id instead, or empty
 * @param cleanUp when marks are deleted, or empty if they are kept
 * @param cacheName the cache that is asked first, or empty
 */
record ConsumerSettings(
        String name,
        String tableName,
        String idHeader,
        Optional<String> idExpression,
        Unidentified unidentified,
        Optional<CleanUp> cleanUp,
        Optional<String> cacheName) {

    /**
     * How marks are deleted.
     *
     * @param ttl how long they are kept
     */
    record CleanUp(int batchSize, Duration ttl, Duration initialDelay, Duration fixedDelay) {}
}
