package io.outbox.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;

/** Scripts of the application that store events: both run as one. Thread-safe. */
final class RedisScripts {

    private final RedisCalls redis;
    private final RedisWriting writing;
    private final Replication replication;

    RedisScripts(RedisCalls redis, RedisWriting writing, Replication replication) {
        this.redis = redis;
        this.writing = writing;
        this.replication = replication;
    }

    /** Runs the script, and stores what the work has written unless the script declines; {@code null} if it does. */
    Object run(String source, List<String> keys, List<String> args, Runnable events) {
        Script script = Script.appendWith(source);
        return writing.gather(scope -> {
            events.run();
            List<String> all = new ArrayList<>();
            all.add(Integer.toString(scope.events().size()));
            all.addAll(RedisWriting.arguments(scope.events()));
            all.addAll(args);
            return scope.send(
                    () -> redis.run(script, keys, all, (reply, connection) -> conclude(scope, reply, connection)));
        });
    }

    private Object conclude(WriteScope scope, List<Object> reply, StatefulRedisConnection<String, String> connection) {
        if (reply.get(0).equals("APPENDED")) {
            scope.stored();
            replication.await(connection, redis.timeout());
            return reply.get(1);
        }
        scope.notStored();
        if (reply.get(0).equals("DUPLICATE")) {
            throw RedisWriting.duplicate((List<?>) reply.get(1));
        }
        return null;
    }
}
