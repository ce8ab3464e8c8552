package io.outbox.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * Calls of an outbox's scripts over one link. Commands of several threads follow each other on it without waiting for
 * answers. Thread-safe.
 */
final class RedisCalls {

    private final RedisLink link;
    private final RedisKeys keys;
    private final Duration timeout;

    RedisCalls(RedisLink link, RedisKeys keys, Duration timeout) {
        this.link = link;
        this.keys = keys;
        this.timeout = timeout;
    }

    RedisKeys keys() {
        return keys;
    }

    Duration timeout() {
        return timeout;
    }

    /** What is made of a script's reply, while the connection that it came over is at hand. */
    interface Conclusion<T> {
        T of(List<Object> reply, StatefulRedisConnection<String, String> connection);
    }

    /** Runs the script and returns its reply. */
    List<Object> run(Script script, List<String> args) {
        return run(script, List.of(), args, (reply, connection) -> reply);
    }

    /** Runs the script with keys beside the outbox's own, and returns what is made of its reply. */
    <T> T run(Script script, List<String> moreKeys, List<String> args, Conclusion<T> conclusion) {
        List<String> names = new ArrayList<>();
        names.add(keys.event());
        names.addAll(moreKeys);
        return onConnection(connection -> {
            List<Object> reply =
                    evaluate(connection.async(), script, names.toArray(String[]::new), args.toArray(String[]::new));
            return conclusion.of(reply, connection);
        });
    }

    private List<Object> evaluate(
            RedisAsyncCommands<String, String> commands, Script script, String[] names, String[] values) {
        try {
            RedisFuture<List<Object>> reply = commands.evalsha(script.sha(), ScriptOutputType.MULTI, names, values);
            return Answers.get(reply, timeout);
        } catch (ExecutionException e) {
            if (!(e.getCause() instanceof RedisNoScriptException)) {
                throw Answers.failure(script.toString(), Answers.cause(e));
            }
        }
        RedisFuture<List<Object>> reply = commands.eval(script.source(), ScriptOutputType.MULTI, names, values);
        return Answers.await(script.toString(), reply, timeout);
    }

    /** Sends a command and returns its answer. */
    <T> T call(Function<RedisAsyncCommands<String, String>, Future<T>> command) {
        return onConnection(connection -> Answers.await("the command", command.apply(connection.async()), timeout));
    }

    /** Calls once more where a cluster has given the slot to another node: the first one has changed nothing. */
    private <T> T onConnection(Function<StatefulRedisConnection<String, String>, T> call) {
        try {
            return callOnce(call);
        } catch (RedisOutboxException e) {
            if (!e.isOfWrongServer() || !link.mayMove()) {
                throw e;
            }
        }
        return callOnce(call);
    }

    /** Leaves a connection behind that is silent, broken or led to a server that takes no writes. */
    private <T> T callOnce(Function<StatefulRedisConnection<String, String>, T> call) {
        StatefulRedisConnection<String, String> connection = Answers.awaitConnection(link.connection(), timeout);
        try {
            return call.apply(connection);
        } catch (RedisOutboxException e) {
            if (e.isOfConnection()) {
                link.drop(connection);
            }
            throw e;
        }
    }
}
