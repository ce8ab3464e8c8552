package io.outbox.redis;

import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.outbox.redis.RedisOutboxException.Kind;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What an outbox asks of the server before it relies on it. */
final class ServerCheck {

    private static final System.Logger LOG = System.getLogger(ServerCheck.class.getName());
    private static final int LEAST_VERSION = 7;
    private static final String LAYOUT_VERSION = "2";
    private static final String NO_RIGHT = "NORIGHT";

    private final RedisCalls redis;
    private final Replication replication;

    ServerCheck(RedisCalls redis, Replication replication) {
        this.redis = redis;
        this.replication = replication;
    }

    /**
     * Refuses a server on which events could disappear or scripts could not run to their end, warns where events do not
     * outlive the server, and compares the version of what is stored there.
     *
     * @throws IllegalStateException if the outbox must not be used on this server
     */
    void run() {
        Map<String, String> info = info();
        requireVersion(info.getOrDefault("redis_version", ""));
        requirePrimary(info.getOrDefault("role", "master"));
        requireNoEviction(info.getOrDefault("maxmemory_policy", "noeviction"));
        warnOfLoss(info);
        requireLayout();
    }

    /**
     * Looks again at a server that was connected to later: a replica that was promoted may have other settings. Never
     * blocks.
     */
    static void lookAgain(StatefulRedisConnection<String, String> connection) {
        connection.async().info("memory").thenAccept(answer -> {
            try {
                requireNoEviction(values(answer).getOrDefault("maxmemory_policy", "noeviction"));
            } catch (IllegalStateException e) {
                LOG.log(Level.ERROR, "The server that the outbox has connected to is not safe: " + e.getMessage());
            }
        });
    }

    private Map<String, String> info() {
        return values(redis.call(RedisAsyncCommands::info));
    }

    private static Map<String, String> values(String info) {
        Map<String, String> values = new HashMap<>();
        info.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return values;
    }

    static void requireVersion(String version) {
        int major = Integer.parseInt("0" + version.replaceAll("\\D.*", ""));
        if (major < LEAST_VERSION) {
            throw new IllegalStateException("The outbox needs Redis " + LEAST_VERSION + " or later, this is "
                    + (version.isEmpty() ? "an unknown version" : version));
        }
    }

    private static void requirePrimary(String role) {
        if (role.equals("slave")) {
            throw new RedisOutboxException(
                    "This is a replica, which takes no writes; nothing was written", null, Kind.WRONG_SERVER);
        }
    }

    private static void requireNoEviction(String policy) {
        if (policy.startsWith("allkeys")) {
            throw new IllegalStateException("Redis may evict events under maxmemory-policy '" + policy
                    + "'; set it to 'noeviction', or to a 'volatile' policy, which leaves keys without expiry alone");
        }
    }

    private void warnOfLoss(Map<String, String> info) {
        if ("1".equals(info.get("aof_enabled")) || savesSnapshots()) {
            return;
        }
        LOG.log(
                Level.WARNING,
                "Redis persists nothing (appendonly no, no save points): all events of outbox ''{0}'' are lost when it stops."
                        + " Set appendonly yes; with appendfsync always nothing that was acknowledged is lost",
                redis.keys().name());
    }

    /** Returns whether snapshots are taken; also if the server does not say, as many hosted ones do not. */
    private boolean savesSnapshots() {
        try {
            return !redis.call(commands -> commands.configGet("save"))
                    .getOrDefault("save", "")
                    .isEmpty();
        } catch (RedisOutboxException e) {
            return true;
        }
    }

    private void requireLayout() {
        List<Object> reply = redis.run(Script.START, List.of(replication.replicas() > 0 ? "WAIT" : ""));
        Object found = reply.get(0);
        if (found.equals("")) {
            redis.call(commands -> commands.set(redis.keys().schema(), LAYOUT_VERSION, SetArgs.Builder.nx()));
            found = redis.call(commands -> commands.get(redis.keys().schema()));
        }
        if (found.equals(NO_RIGHT)) {
            throw new IllegalStateException("The user of Redis may not use " + reply.subList(1, reply.size())
                    + " on keys that begin with '{" + redis.keys().name()
                    + "}:', so that scripts would stop half-way; grant these"
                    + " commands and keys by ACL SETUSER");
        }
        if (!LAYOUT_VERSION.equals(found)) {
            throw new IllegalStateException("The keys of outbox '"
                    + redis.keys().name() + "' have layout version " + found + ", and this library knows "
                    + LAYOUT_VERSION + "; use the library that wrote them until they are empty");
        }
    }
}
