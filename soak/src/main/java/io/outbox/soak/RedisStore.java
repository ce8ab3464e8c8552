package io.outbox.soak;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.soak.cluster.Address;
import io.outbox.soak.judge.Row;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.testservers.RedisServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** An outbox in a Redis Cluster that has everything on disk which it has acknowledged. */
final class RedisStore implements Store {

    private static final String[] PREFIX = {"{outbox}:outbox:"};

    /** An event is locked if it has an owner or is among the locks. */
    private static final String ALL = """
            local all, rows = redis.call('HGETALL', KEYS[1] .. 'event'), {}
            for i = 1, #all, 2 do
              local id = all[i]
              local created, _, status, attempts, type, _, _, owner = cmsgpack.unpack(all[i + 1])
              local lock = redis.call('ZSCORE', KEYS[1] .. 'locks:' .. type, created .. id)
              rows[#rows + 1] = {id, status, attempts, owner or lock and 'nobody' or ''}
            end
            return rows
            """;

    /** What writes runs alone in the server, and takes the next number there. */
    private static final String PLACES = """
            local all, places = redis.call('HGETALL', KEYS[1] .. 'event'), {}
            for i = 1, #all, 2 do
              local _, _, _, _, _, _, _, _, key, number = cmsgpack.unpack(all[i + 1])
              if key then places[#places + 1] = {all[i], key, number} end
            end
            return places
            """;

    private static final String COUNT_PENDING = """
            local function finished(key) return redis.call('ZCARD', KEYS[1] .. key) end
            return redis.call('HLEN', KEYS[1] .. 'event') - finished('done') - finished('dead')
            """;

    private static final int CACHED = 100;

    /** Longer than any fault. */
    private static final Duration PAUSE = Duration.ofMinutes(5);

    private final RedisNodes nodes = new RedisNodes();
    private final List<Trouble> refusals = List.of(
            new Setting(
                    commands -> commands.configSet("min-replicas-to-write", "99"),
                    commands -> commands.configSet("min-replicas-to-write", "0")),
            new Setting(
                    commands -> commands.aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.HSET)),
                    commands -> commands.aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.HSET))),
            new Setting(
                    commands -> commands.configSet("maxmemory", "1"), commands -> commands.configSet("maxmemory", "0")),
            new Setting(RedisStore::evictCache, commands -> {
                commands.configSet("maxmemory", "0");
                commands.configSet("maxmemory-policy", "noeviction");
            }));
    private int refused;

    @Override
    public RedisServer server() {
        return nodes.owner();
    }

    @Override
    public Address address() {
        int port = nodes.owner().port();
        String url = "redis://:" + nodes.owner().password() + "@127.0.0.1:" + port + "/";
        return new Address(url, url + "?timeout=2s", port);
    }

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        List<List<Object>> found = call(commands -> commands.eval(ALL, ScriptOutputType.MULTI, PREFIX));
        for (List<Object> row : found) {
            String owner = (String) row.get(3);
            rows.add(new Row(
                    (String) row.get(0),
                    ((Long) row.get(1)).intValue(),
                    ((Long) row.get(2)).intValue(),
                    owner.isEmpty() ? null : owner));
        }
        return rows;
    }

    @Override
    public List<Keyed> places() {
        List<List<Object>> found = call(commands -> commands.eval(PLACES, ScriptOutputType.MULTI, PREFIX));
        return found.stream()
                .map(place -> new Keyed((String) place.get(0), (String) place.get(1), (Long) place.get(2)))
                .toList();
    }

    @Override
    public long countPending() {
        return this.<Long>call(commands -> commands.eval(COUNT_PENDING, ScriptOutputType.INTEGER, PREFIX));
    }

    /**
     * Writes are refused: for want of replicas, of a right or of memory, with nothing or only a cache to evict, in
     * turn.
     */
    @Override
    public Trouble refusing() {
        return refusals.get(refused++ % refusals.size());
    }

    /** Every write waits, and so do scripts that may write. */
    @Override
    public Trouble blocking() {
        return new Setting(
                commands -> client(commands, "PAUSE", Long.toString(PAUSE.toMillis()), "WRITE"),
                commands -> client(commands, "UNPAUSE"));
    }

    @Override
    public Trouble lockingRows() {
        throw new UnsupportedOperationException("Redis has no rows to lock");
    }

    @Override
    public Trouble holdingSnapshot() {
        throw new UnsupportedOperationException("Redis has no snapshots");
    }

    @Override
    public Trouble endingSessions() {
        throw new UnsupportedOperationException("Redis has no sessions to speak of");
    }

    /** Redis evicts what may expire, and nothing of the outbox may. */
    private static void evictCache(RedisCommands<String, String> commands) {
        for (int i = 0; i < CACHED; i++) {
            commands.setex("{outbox}:cache:" + i, PAUSE.toSeconds(), "cached");
        }
        commands.configSet("maxmemory-policy", "volatile-random");
        commands.configSet("maxmemory", "1");
    }

    @Override
    public Trouble failingOver(List<TcpProxy> proxies) {
        return new Move(proxies, nodes::promoteReplica, () -> {});
    }

    @Override
    public Trouble movingSlot(List<TcpProxy> proxies) {
        return new Move(proxies, nodes::beginToMove, nodes::endMove);
    }

    private static void client(RedisCommands<String, String> commands, String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String word : words) {
            args.add(word);
        }
        commands.dispatch(CommandType.CLIENT, new StatusOutput<>(StringCodec.UTF8), args);
    }

    private <T> T call(Function<RedisCommands<String, String>, T> work) {
        return work.apply(nodes.on(nodes.owner()));
    }

    @Override
    public void close() {
        nodes.close();
    }

    /** Another server has the outbox, and the proxies lead there in the end. */
    private final class Move implements Trouble {

        private final List<TcpProxy> proxies;
        private final Runnable first;
        private final Runnable last;

        private Move(List<TcpProxy> proxies, Runnable first, Runnable last) {
            this.proxies = proxies;
            this.first = first;
            this.last = last;
        }

        @Override
        public Set<String> begin() {
            first.run();
            return Set.of();
        }

        @Override
        public void end() {
            last.run();
            proxies.forEach(proxy -> proxy.moveTo(nodes.owner().port()));
        }
    }

    /** What a command turns on and another one off again. */
    private final class Setting implements Trouble {

        private final Consumer<RedisCommands<String, String>> on;
        private final Consumer<RedisCommands<String, String>> off;

        private Setting(Consumer<RedisCommands<String, String>> on, Consumer<RedisCommands<String, String>> off) {
            this.on = on;
            this.off = off;
        }

        @Override
        public Set<String> begin() {
            run(on);
            return Set.of();
        }

        @Override
        public void end() {
            run(off);
        }

        private void run(Consumer<RedisCommands<String, String>> command) {
            call(commands -> {
                command.accept(commands);
                return null;
            });
        }
    }
}
