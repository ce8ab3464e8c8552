package io.outbox.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;

/**
 * A look for ids that are stored already, in front of a transaction and in the same write to the socket. Redis cannot
 * roll back, so the transaction must not begin if there is one: it watches a key that exists for nobody else, and the
 * look changes this key if it finds an id. Redis then discards the transaction.
 *
 * <p>The look comes before {@code MULTI}, when the ids are not known yet: nothing is encoded before the commands are
 * flushed, so its arguments are added when they are. Not thread-safe.
 */
final class KnownIds {

    private static final String NOTHING = "return {}";

    private final RedisKeys keys;
    private final String guard;
    private final CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
    private final RedisFuture<List<Object>> found;

    private KnownIds(RedisAsyncCommands<String, String> commands, RedisKeys keys) {
        this.keys = keys;
        this.guard = keys.newGuard();
        commands.watch(guard);
        this.found = commands.dispatch(CommandType.EVAL, new NestedMultiOutput<>(StringCodec.UTF8), args);
    }

    /** Begins with commands that are not flushed before {@link #lookFor} is called. */
    static KnownIds before(RedisAsyncCommands<String, String> commands, RedisKeys keys) {
        return new KnownIds(commands, keys);
    }

    /**
     * Returns the keys of the script that stores the events: while a slot is moved, Redis refuses to queue it, and so
     * the whole.
     */
    String[] keysOfAppend() {
        return new String[] {keys.event(), guard};
    }

    void lookFor(List<String> ids) {
        if (ids.isEmpty()) {
            args.add(NOTHING).add(0);
        } else {
            args.add(Script.KNOWN_IDS.source())
                    .add(2)
                    .addKey(keys.event())
                    .addKey(guard)
                    .addValues(ids);
        }
    }

    /** Returns the ids that were found, once the transaction was answered. */
    List<Object> found(Duration timeout) {
        return Answers.await(Script.KNOWN_IDS.toString(), found, timeout);
    }
}
