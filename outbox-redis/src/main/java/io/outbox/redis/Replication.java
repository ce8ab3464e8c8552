package io.outbox.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.redis.RedisOutboxException.Kind;
import java.time.Duration;

/**
 * How many replicas have to confirm what was written before the writer goes on, and how long they may take.
 *
 * @param replicas zero if nobody waits
 */
record Replication(int replicas, Duration limit) {

    static final Replication NOT_AWAITED = new Replication(0, Duration.ZERO);

    /** Refuses a limit that the client would not wait for. */
    void requireLessThan(Duration timeout) {
        if (limit.compareTo(timeout) >= 0) {
            throw new IllegalStateException(
                    "Replicas have " + limit.toMillis() + " ms to confirm events, which must be less"
                            + " than the timeout of a command, " + timeout.toMillis() + " ms");
        }
    }

    /**
     * Waits until what the connection has written is confirmed. Commands that others send over it wait as well.
     *
     * @throws RedisOutboxException if fewer replicas confirm in time, or nobody can tell; what was written stays
     * written
     */
    void await(StatefulRedisConnection<String, String> connection, Duration timeout) {
        if (replicas == 0) {
            return;
        }
        long confirmed = confirmations(connection, timeout);
        if (confirmed < replicas) {
            String message = "The events are stored, but within " + limit.toMillis() + " ms only " + confirmed + " of "
                    + replicas + " replicas have confirmed them; they will be delivered unless the primary is lost now";
            throw new RedisOutboxException(message, null, Kind.UNCONFIRMED);
        }
    }

    private long confirmations(StatefulRedisConnection<String, String> connection, Duration timeout) {
        try {
            return Answers.await(
                    "WAIT", connection.async().waitForReplication(replicas, Math.max(1, limit.toMillis())), timeout);
        } catch (RedisOutboxException e) {
            String message =
                    "The events are stored, but whether replicas have them could not be found out: " + e.getMessage();
            throw new RedisOutboxException(message, e, Kind.UNCONFIRMED);
        }
    }
}
