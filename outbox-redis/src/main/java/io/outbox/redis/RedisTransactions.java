package io.outbox.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.outbox.redis.RedisOutboxException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transactions with the application's commands and an append of events among them.
 *
 * <p>Nothing is sent before all of it is known: a look for known ids, {@code MULTI}, the commands, the append and
 * {@code EXEC} leave in one piece, and are answered in one. So a thread that fails half-way has changed nothing, and a
 * connection that is lost has carried all of it or nothing that counts. The append is sent as its whole source, because
 * a script that Redis has forgotten would fail alone, and leave the application's commands without their events.
 * Thread-safe; each transaction has a connection to itself.
 */
final class RedisTransactions {

    private final RedisConnecting connecting;
    private final RedisCalls redis;
    private final RedisWriting writing;
    private final Replication replication;
    private final IdleConnections idle = new IdleConnections();

    RedisTransactions(RedisConnecting connecting, RedisCalls redis, RedisWriting writing, Replication replication) {
        this.connecting = connecting;
        this.redis = redis;
        this.writing = writing;
        this.replication = replication;
    }

    /** Runs the work, then sends its commands and the events that it wrote as one transaction. */
    <T> T call(Function<RedisAsyncCommands<String, String>, T> work) {
        return writing.gather(scope -> {
            StatefulRedisConnection<String, String> connection = take();
            boolean usable = false;
            BlockCommands commands = new BlockCommands(connection.async());
            try {
                connection.setAutoFlushCommands(false);
                KnownIds known = KnownIds.before(connection.async(), redis.keys());
                RedisFuture<String> begin = connection.async().multi();
                T result = work.apply(commands.proxy());
                requireStillOpen(connection, begin);
                known.lookFor(scope.ids());
                execute(connection, begin, known, scope);
                if (!scope.isEmpty()) {
                    replication.await(connection, timeout());
                }
                usable = true;
                return result;
            } catch (RedisOutboxException e) {
                if (e.isOfConnection()) {
                    idle.giveUp();
                    connecting.doubt();
                }
                throw e;
            } finally {
                commands.sent();
                giveBack(connection, usable);
            }
        });
    }

    /** What came after the application's own end would be executed alone. */
    private static void requireStillOpen(
            StatefulRedisConnection<String, String> connection, RedisFuture<String> begin) {
        if (!begin.isDone() && !connection.isMulti()) {
            throw new IllegalStateException("The block has called EXEC or DISCARD, which is left to the outbox; nothing"
                    + " was sent. Throw an exception to give the transaction up");
        }
    }

    private void execute(
            StatefulRedisConnection<String, String> connection,
            RedisFuture<String> begin,
            KnownIds known,
            WriteScope scope) {
        @Nullable RedisFuture<?> append = scope.isEmpty() ? null : append(connection.async(), known, scope);
        RedisFuture<TransactionResult> executed = connection.async().exec();
        TransactionResult result = scope.send(() -> {
            requireUnsent(begin);
            connection.flushCommands();
            return result(executed, append);
        });
        if (result.wasDiscarded()) {
            scope.notStored();
            throw discarded(known.found(timeout()));
        }
        conclude(scope, result);
        connection.setAutoFlushCommands(true);
    }

    /**
     * The client leaves out commands that are done; without its beginning, a transaction would be so many single
     * commands.
     */
    private static void requireUnsent(RedisFuture<String> begin) {
        if (begin.isDone()) {
            throw new RedisOutboxException(
                    "The transaction was abandoned and nothing took effect: its connection was lost, or its commands"
                            + " were flushed, before the block ended",
                    null,
                    Kind.UNREACHABLE);
        }
    }

    private static RuntimeException discarded(List<Object> knownIds) {
        return knownIds.isEmpty()
                ? new RedisOutboxException(
                        "Redis has discarded the transaction, because a watched key was changed; nothing took effect",
                        null,
                        Kind.REFUSED)
                : RedisWriting.duplicate(knownIds);
    }

    private static RedisFuture<?> append(
            RedisAsyncCommands<String, String> commands, KnownIds known, WriteScope scope) {
        NewEvents events = scope.events();
        String[] args = events.arguments().toArray(String[]::new);
        return commands.eval(Script.append(events).source(), ScriptOutputType.MULTI, known.keysOfAppend(), args);
    }

    /**
     * Waits for the end. If Redis refused the append, and with it the whole, its reason is there and not at the end.
     */
    private TransactionResult result(RedisFuture<TransactionResult> executed, @Nullable RedisFuture<?> append) {
        try {
            return Answers.get(executed, timeout());
        } catch (ExecutionException e) {
            String refusal = append == null ? null : append.getError();
            boolean appendWasRefused = refusal != null && e.getCause() instanceof RedisCommandExecutionException;
            throw Answers.failure(
                    "the transaction",
                    appendWasRefused ? new RedisCommandExecutionException(refusal) : Answers.cause(e));
        }
    }

    private static void conclude(WriteScope scope, TransactionResult result) {
        int appended = scope.isEmpty() ? 0 : 1;
        if (appended == 1) {
            Object append = result.get(result.size() - 1);
            if (append instanceof Throwable failure) {
                scope.notStored();
                throw failure(
                        "The commands of the transaction took effect, but its events could not be stored", failure);
            }
            if (!((List<?>) append).isEmpty()) {
                scope.notStored();
                throw RedisWriting.duplicate((List<?>) append);
            }
        }
        scope.stored();
        for (int i = 0; i < result.size() - appended; i++) {
            if (result.get(i) instanceof Throwable failure) {
                throw failure(
                        "Command " + (i + 1)
                                + " of the transaction failed, and the others took effect, events included",
                        failure);
            }
        }
    }

    private static RedisOutboxException failure(String what, Throwable cause) {
        return new RedisOutboxException(
                what + ", since Redis does not roll back: " + cause.getMessage(), cause, Kind.INCOMPLETE);
    }

    private Duration timeout() {
        return redis.timeout();
    }

    private StatefulRedisConnection<String, String> take() {
        StatefulRedisConnection<String, String> kept = idle.take(timeout());
        return kept != null ? kept : Answers.awaitConnection(connecting.connect(), timeout());
    }

    /** Keeps a connection whose transaction has ended; what another one has gathered must never be sent. */
    private void giveBack(StatefulRedisConnection<String, String> connection, boolean usable) {
        if (usable) {
            idle.keep(connection);
        } else {
            connection.closeAsync();
        }
    }
}
