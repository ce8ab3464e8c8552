package io.outbox.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.outbox.redis.RedisOutboxException.Kind;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Waits for what Redis answers, and says what it means if that is a failure. */
final class Answers {

    /** As an answer of its own, or as what a script met; not as part of a word that a script made up. */
    private static final Pattern OUT_OF_MEMORY = Pattern.compile("(^|: )OOM ");

    private static final Pattern SLOT_ON_ITS_WAY =
            Pattern.compile("^(ASK|TRYAGAIN) |attempted to access a non local key|during rehashing of the slot");

    private Answers() {}

    /** Waits for a connection; without one, nothing is sent. */
    static <T> T awaitConnection(Future<T> connection, Duration timeout) {
        try {
            return connection.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw unreachable("none was made within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            Throwable cause = cause(e);
            throw unreachable(reason(cause), cause);
        } catch (CancellationException e) {
            throw unreachable(reason(e), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static RedisOutboxException unreachable(@Nullable String reason, Throwable cause) {
        return new RedisOutboxException(
                "There is no connection to Redis, and nothing was sent: " + reason, cause, Kind.UNREACHABLE);
    }

    /** Names what is behind it too, such as a wrong password: the client itself says only where it failed. */
    private static @Nullable String reason(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure.getMessage() : failure.getMessage() + " (" + cause.getMessage() + ")";
    }

    /** @param what the command that is waited for, to name it if it fails */
    static <T> T await(String what, Future<T> answer, Duration timeout) {
        try {
            return get(answer, timeout);
        } catch (ExecutionException e) {
            throw failure(what, cause(e));
        }
    }

    /** Returns why a command failed; a future of the client names it. */
    static Throwable cause(ExecutionException failure) {
        return Objects.requireNonNullElse(failure.getCause(), failure);
    }

    /** As {@link #await}, but leaves it to the caller to look at a failure. */
    static <T> T get(Future<T> answer, Duration timeout) throws ExecutionException {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            String message = "Redis has not answered within " + timeout.toMillis() + " ms; whether the command"
                    + " took effect is unknown";
            throw new RedisOutboxException(message, e, Kind.CONNECTION);
        } catch (CancellationException e) {
            throw failure("the command", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static RedisOutboxException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new RedisOutboxException("Interrupted while waiting for Redis", e, Kind.INTERRUPTED);
    }

    /** Says what a failed command means. */
    static RedisOutboxException failure(String what, Throwable cause) {
        if (!(cause instanceof RedisCommandExecutionException)) {
            String message = "The connection to Redis failed; whether the last command took effect is unknown: "
                    + cause.getMessage();
            return new RedisOutboxException(message, cause, Kind.CONNECTION);
        }
        String answer = String.valueOf(cause.getMessage());
        if (OUT_OF_MEMORY.matcher(answer).find()) {
            String message = "Redis has reached its maxmemory and takes no new events; nothing was written. Delivery"
                    + " continues and frees memory; if that is not enough, raise maxmemory or shorten the"
                    + " retention: "
                    + answer;
            return new RedisOutboxException(message, cause, Kind.REFUSED);
        }
        if (answer.startsWith("READONLY")) {
            String message = "This is a replica, which takes no writes; nothing was written: " + answer;
            return new RedisOutboxException(message, cause, Kind.WRONG_SERVER);
        }
        if (answer.startsWith("MOVED ")) {
            String message =
                    "This node of a cluster does not have the outbox's hash slot; nothing was written. Connect with"
                            + " RedisOutbox.clusterBuilder, which follows the slot: " + answer;
            return new RedisOutboxException(message, cause, Kind.WRONG_SERVER);
        }
        if (answer.startsWith("CLUSTERDOWN ")) {
            String message = "The cluster is down at the moment; nothing was written: " + answer;
            return new RedisOutboxException(message, cause, Kind.WRONG_SERVER);
        }
        if (SLOT_ON_ITS_WAY.matcher(answer).find()) {
            String message = "The outbox's hash slot is being moved to another node, and calls are refused until all of"
                    + " its keys are there; nothing was written. Repeat the call: " + answer;
            return new RedisOutboxException(message, cause, Kind.REFUSED);
        }
        return new RedisOutboxException("Redis refused " + what + ": " + answer, cause, Kind.REFUSED);
    }
}
