package io.outbox.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * Connections of transactions that have ended, for those to come. One that was idle for some seconds is asked for a
 * sign of life, since a network may have forgotten it; if it gives none, neither do the others, and all are given up.
 * Thread-safe.
 */
final class IdleConnections {

    private static final int MOST = 16;
    private static final long TRUSTED_NANOS = Duration.ofSeconds(3).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMinutes(1).toNanos();
    private static final Duration LONGEST_PING = Duration.ofSeconds(1);

    private record Idle(StatefulRedisConnection<String, String> connection, long sinceNanos) {
        long nanos() {
            return System.nanoTime() - sinceNanos;
        }
    }

    private final Deque<Idle> idle = new ConcurrentLinkedDeque<>();

    /** Returns the connection that was used last, if one is known to work. */
    @Nullable
    StatefulRedisConnection<String, String> take(Duration timeout) {
        for (Idle next = idle.poll(); next != null; next = idle.poll()) {
            boolean works = next.connection.isOpen() && next.nanos() < LONGEST_NANOS;
            if (works && (next.nanos() < TRUSTED_NANOS || answers(next.connection, timeout))) {
                return next.connection;
            }
            next.connection.closeAsync();
        }
        return null;
    }

    private boolean answers(StatefulRedisConnection<String, String> connection, Duration timeout) {
        try {
            Answers.await(
                    "PING", connection.async().ping(), timeout.compareTo(LONGEST_PING) < 0 ? timeout : LONGEST_PING);
            return true;
        } catch (RedisOutboxException e) {
            giveUp();
            return false;
        }
    }

    void keep(StatefulRedisConnection<String, String> connection) {
        for (Idle oldest = idle.peekLast();
                oldest != null && oldest.nanos() > LONGEST_NANOS && idle.remove(oldest);
                oldest = idle.peekLast()) {
            oldest.connection.closeAsync();
        }
        if (idle.size() < MOST) {
            idle.push(new Idle(connection, System.nanoTime()));
        } else {
            connection.closeAsync();
        }
    }

    /** Gives up all of them, because one was silent or led to a server that takes no writes. */
    void giveUp() {
        for (Idle next = idle.poll(); next != null; next = idle.poll()) {
            next.connection.closeAsync();
        }
    }
}
