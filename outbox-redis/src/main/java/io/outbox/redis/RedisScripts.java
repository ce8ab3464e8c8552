package io.outbox.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.redis.RedisOutboxException.Effect;
import io.outbox.redis.RedisOutboxException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Scripts of the application that store events: both run as one. Thread-safe. */
final class RedisScripts {

    private static final Pattern NOT_BEGUN =
            Pattern.compile("^(OOM|NOPERM|NOREPLICAS|MISCONF|READONLY|MOVED|ASK|TRYAGAIN"
                    + "|CROSSSLOT|CLUSTERDOWN|LOADING|BUSY|MASTERDOWN|NOAUTH|NOSCRIPT|ERR Error compiling) ");

    private final RedisCalls redis;
    private final RedisWriting writing;
    private final Replication replication;

    RedisScripts(RedisCalls redis, RedisWriting writing, Replication replication) {
        this.redis = redis;
        this.writing = writing;
        this.replication = replication;
    }

    /** Runs the script, and stores what the work has written unless the script declines; returns what it returned. */
    @Nullable
    Object run(String source, List<String> keys, List<String> args, Runnable events) {
        return writing.gather(scope -> {
            events.run();
            NewEvents written = scope.events();
            Script script = Script.appendWith(source, written);
            List<String> all = new ArrayList<>();
            all.add(Integer.toString(written.size()));
            all.addAll(written.arguments());
            all.addAll(args);
            try {
                Optional<Object> returned = scope.send(
                        () -> redis.run(script, keys, all, (reply, connection) -> conclude(scope, reply, connection)));
                return returned.orElse(null);
            } catch (RedisOutboxException e) {
                throw hasBegun(e) ? stopped(e) : e;
            }
        });
    }

    /** Tells a script that failed while it ran from one that Redis did not begin. */
    private static boolean hasBegun(RedisOutboxException e) {
        return e.getCause() instanceof RedisCommandExecutionException answer
                && (e.effect() == Effect.NONE)
                && isOfRunning(String.valueOf(answer.getMessage()));
    }

    private static boolean isOfRunning(String answer) {
        return answer.contains(" script: ") || !NOT_BEGUN.matcher(answer).find();
    }

    private static RedisOutboxException stopped(RedisOutboxException e) {
        String message = e.getMessage() + " No event is stored; what the script did before it failed stays";
        return new RedisOutboxException(message, e.getCause(), Kind.INCOMPLETE);
    }

    private Optional<Object> conclude(
            WriteScope scope, List<Object> reply, StatefulRedisConnection<String, String> connection) {
        if (reply.get(0).equals("APPENDED")) {
            scope.stored();
            replication.await(connection, redis.timeout());
            return reply.size() > 1 ? Optional.ofNullable(reply.get(1)) : Optional.empty();
        }
        scope.notStored();
        if (reply.get(0).equals("DUPLICATE")) {
            throw RedisWriting.duplicate((List<?>) reply.get(1));
        }
        return Optional.empty();
    }
}
