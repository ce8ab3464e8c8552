package io.outbox.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An outbox in Redis: the backend to build an {@link io.outbox.Outbox} on, and three ways to write an event.
 *
 * <pre>{@code
 * RedisOutbox redis = RedisOutbox.connect(RedisURI.create("redis://localhost"));
 * Outbox outbox = Outbox.multiNode().backend(redis.backend()).claimLocking(Duration.ofMinutes(5))
 *         .listenerRegistry(listeners).build();
 * OutboxWriter writer = outbox.writer();
 *
 * writer.write("OrderPlaced", json);                      // alone
 *
 * redis.inTransaction(commands -> {                       // with commands, as one MULTI/EXEC
 *     commands.hset("{outbox}:order:17", "state", "PLACED");
 *     writer.write("OrderPlaced", json);
 * });
 *
 * redis.runScript(                                        // with a script, as one EVAL
 *         "return redis.call('DECR', KEYS[1])", List.of("{outbox}:stock"), List.of(),
 *         () -> writer.write("StockTaken", json));
 * }</pre>
 *
 * <p>What is written is visible together with the commands or the script, or not at all, and its delivery begins right
 * after. How much of it outlives the server is a matter of the server's persistence.
 *
 * <p>Closing it closes the connections to Redis; close the outbox first. Thread-safe.
 */
public final class RedisOutbox implements AutoCloseable {

    /** The name of an outbox that was not given one. */
    public static final String DEFAULT_NAME = "outbox";

    private final RedisClient client;
    private final @Nullable ClientResources ownResources;
    private final RedisConnecting connecting;
    private final RedisTransactions transactions;
    private final RedisScripts scripts;
    private final RedisWakeUp wakeUp;
    private final Mending mending;
    private final KeptOrder order;
    private final OutboxBackend backend;

    private RedisOutbox(Builder builder) {
        ClientResources resources = Objects.requireNonNullElseGet(builder.resources, DefaultClientResources::create);
        this.ownResources = builder.resources == null ? resources : null;
        this.client = RedisClient.create(resources);
        client.setOptions(optionsOf(builder));
        RedisKeys keys = new RedisKeys(builder.name);
        Duration timeout = builder.timeout();
        this.connecting = new RedisConnecting(client, builder.address(client, keys));
        RedisLink writes = new RedisLink(connecting);
        RedisLink deliveries = new RedisLink(connecting);
        RedisCalls writeCalls = new RedisCalls(writes, keys, timeout);
        RedisCalls deliveryCalls = new RedisCalls(deliveries, keys, timeout);
        this.mending = new Mending(deliveryCalls);
        this.order = new KeptOrder(deliveryCalls, mending);
        RedisWriting writing =
                new RedisWriting(writeCalls, builder.replication, builder.deliveries, builder.transactionsOnly, order);
        this.transactions = new RedisTransactions(connecting, writeCalls, writing, builder.replication);
        this.scripts = new RedisScripts(writeCalls, writing, builder.replication);
        this.wakeUp =
                new RedisWakeUp(connecting, client.getResources().eventExecutorGroup(), deliveries, keys, timeout);
        this.backend = new RedisBackend(
                writing,
                new RedisDelivery(deliveryCalls, mending, order),
                new RedisHousekeeping(deliveryCalls, mending));
        try {
            new ServerCheck(deliveryCalls, builder.replication).run();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Leaves time limits to us: the client's begin before a transaction is sent, and would leave parts of it out. */
    private static ClientOptions optionsOf(Builder builder) {
        return builder.options
                .mutate()
                .autoReconnect(false)
                .timeoutOptions(TimeoutOptions.create())
                .build();
    }

    /** Connects to the outbox of the default name. */
    public static RedisOutbox connect(RedisURI uri) {
        return builder(uri).connect();
    }

    /** Begins with a server; its timeout is that of every command. */
    public static Builder builder(RedisURI uri) {
        return new Builder(List.of(uri), false);
    }

    /**
     * Begins with some nodes of a Redis Cluster. The outbox finds the node that has the slot of its hash tag, and
     * follows the slot when a replica is promoted or the slot is moved. Credentials, TLS and the timeout of the first
     * node hold for all of them.
     *
     * <p>While the keys of the slot are moved one by one, calls are refused and change nothing: deliveries are recorded
     * later, and a writer gets an exception with the effect {@link RedisOutboxException.Effect#NONE}. The same happens
     * to the first {@link #inTransaction} after a move; single events and scripts are sent to the new node instead.
     *
     * @throws IllegalArgumentException if there is no node, or one with another database than 0
     */
    public static Builder clusterBuilder(List<RedisURI> nodes) {
        if (nodes.isEmpty()) {
            throw new IllegalArgumentException("nodes must name at least one node of the cluster");
        }
        for (RedisURI node : nodes) {
            if (node.getDatabase() != 0) {
                throw new IllegalArgumentException(
                        "A Redis Cluster has database 0 only, but the address of a node names " + node.getDatabase());
            }
        }
        return new Builder(List.copyOf(nodes), true);
    }

    /** Returns the engine for {@code Outbox} builders, always the same. */
    public OutboxBackend backend() {
        return backend;
    }

    /**
     * Returns hints by publish and subscribe for {@code Outbox} builders: with them, an outbox delivers what others
     * have written or given back without waiting for its next poll.
     */
    public WakeUp wakeUp() {
        return wakeUp;
    }

    /**
     * Runs the work, then sends its commands and the events that were written meanwhile on this thread as one
     * {@code MULTI}/{@code EXEC}. If the work throws, nothing is sent.
     *
     * <p>Answers to the commands are there when this method has returned; to wait for one in the block is refused. So
     * are commands that change the connection, such as {@code SELECT}. In a cluster, the commands' keys have the
     * outbox's hash tag. A command that Redis refuses when it queues it ends the transaction; one that fails when it is
     * executed does not, since Redis does not roll back: this method then throws, though all else took effect.
     *
     * @throws io.outbox.DuplicateEventException if an event is stored already
     * @throws RedisOutboxException if the transaction was refused, or nothing is known about it
     * @throws IllegalStateException if this thread is in a transaction already, or if the work calls {@code EXEC},
     *     {@code DISCARD} or a command that changes the connection, or waits for an answer; nothing is sent then
     */
    public void inTransaction(Consumer<RedisAsyncCommands<String, String>> work) {
        Objects.requireNonNull(work, "work");
        transactions.call(commands -> {
            work.accept(commands);
            return null;
        });
    }

    /** As {@link #inTransaction}, and returns what the work returns, such as the future of a command's answer. */
    public <T extends @Nullable Object> T callInTransaction(Function<RedisAsyncCommands<String, String>, T> work) {
        return transactions.call(Objects.requireNonNull(work, "work"));
    }

    /**
     * Runs a Lua script and stores the events that are written meanwhile on this thread, both as one {@code EVAL}.
     *
     * <p>The script sees its own {@code KEYS} and {@code ARGV}. It decides: if it returns {@code nil} or {@code false},
     * no event is stored. The answer to a {@code GET} of a missing key is {@code false} in Lua. If it ends without a
     * {@code return}, the events are stored. If it fails, none is stored either; what it did before stays, since Redis
     * does not roll back. In a cluster, its keys have the outbox's hash tag.
     *
     * @param events writes the events, before the script runs
     * @return what the script returned, unless it declined or returned nothing
     * @throws io.outbox.DuplicateEventException if an event is stored already; the script has not run then
     * @throws RedisOutboxException if the script failed or was refused, or nothing is known about it
     * @throws IllegalStateException if this thread is in a transaction already
     */
    public @Nullable Object runScript(String script, List<String> keys, List<String> args, Runnable events) {
        Objects.requireNonNull(script, "script");
        return scripts.run(script, List.copyOf(keys), List.copyOf(args), Objects.requireNonNull(events, "events"));
    }

    /**
     * Compares the keys of the outbox with each other and reports what does not fit, such as an event that no set of
     * waiting events has. Changes nothing, and may run beside everything else: it proceeds in steps of a few
     * milliseconds each, but for the count of DEAD events, which is one step. Needs the rights {@code scan}, {@code
     * hscan}, {@code zscan}, {@code hlen} and {@code hgetall}.
     *
     * @param progress told after each step what was found so far
     */
    public Verification verify(Consumer<Verification> progress) {
        return mending.run(false, Objects.requireNonNull(progress, "progress"));
    }

    /**
     * As {@link #verify}, and mends what does not fit. A pending entry without its event becomes an event that is NEW,
     * so that its attempts begin again; an event without a body goes DEAD when it is due; what belongs to no event is
     * removed.
     */
    public Verification repair(Consumer<Verification> progress) {
        return mending.run(true, Objects.requireNonNull(progress, "progress"));
    }

    /** Returns how many damaged entries this instance has mended, while it delivered or by {@link #repair}. */
    public long mendedEntries() {
        return mending.mended();
    }

    /**
     * Gives up the order of keys: events that were written with it become events without, in steps that the server
     * hardly feels, and those that had failed for good and blocked their key are delivered once more. For an outbox
     * that is to be used without {@code ordering(…)} from now on, when no instance writes or delivers with it any more.
     *
     * @return how many waiting events lost their order
     */
    public long dropOrder() {
        return order.drop();
    }

    /**
     * What a comparison of the keys has found.
     *
     * @param checked how many entries were compared
     * @param faultCount how many of them do not fit
     * @param faults the first of these, at most {@value #MOST_FAULTS}: what is wrong, and with which entry
     */
    public record Verification(long checked, long faultCount, List<String> faults) {

        private static final int MOST_FAULTS = 1_000;

        public Verification {
            faults = List.copyOf(faults);
        }

        /** Returns whether everything fits. */
        public boolean isSound() {
            return faultCount == 0;
        }

        Verification plus(long moreChecked, List<?> found) {
            List<String> all = new ArrayList<>(faults);
            found.stream().limit(MOST_FAULTS - all.size()).forEach(fault -> all.add((String) fault));
            return new Verification(checked + moreChecked, faultCount + found.size(), all);
        }
    }

    @Override
    public void close() {
        wakeUp.close();
        connecting.close();
        client.shutdown(0, 2, TimeUnit.SECONDS);
        if (ownResources != null) {
            ownResources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Settings of a connection. Not thread-safe. */
    public static final class Builder {

        private final List<RedisURI> servers;
        private final boolean isCluster;
        private String name = DEFAULT_NAME;
        private ClientOptions options = ClientOptions.create();
        private @Nullable ClientResources resources;
        private Replication replication = Replication.NOT_AWAITED;
        private Executor deliveries = Runnable::run;
        private boolean transactionsOnly;

        private Builder(List<RedisURI> servers, boolean isCluster) {
            this.servers = servers;
            this.isCluster = isCluster;
        }

        private Duration timeout() {
            return servers.get(0).getTimeout();
        }

        private ServerAddress address(RedisClient client, RedisKeys keys) {
            return isCluster
                    ? new ClusterAddress(client, servers, SlotHash.getSlot(keys.event()))
                    : ServerAddress.of(servers.get(0));
        }

        /**
         * Names the outbox; several on one server are independent. All its keys begin with the name in braces, which is
         * their hash tag in a cluster. Default: {@value RedisOutbox#DEFAULT_NAME}.
         */
        public Builder name(String name) {
            this.name = new RedisKeys(name).name();
            return this;
        }

        /**
         * Options of the client, such as TLS. It never reconnects by itself: the outbox does, without repeating
         * commands. The time limit of a command is that of the address.
         */
        public Builder clientOptions(ClientOptions options) {
            this.options = Objects.requireNonNull(options, "options");
            return this;
        }

        /**
         * Threads that are shared with other clients, and stay when this one is closed. Default: threads of its own.
         */
        public Builder clientResources(ClientResources resources) {
            this.resources = Objects.requireNonNull(resources, "resources");
            return this;
        }

        /**
         * Makes writers wait until that many replicas have confirmed the events; a writer gets an exception if they do
         * not in time, though the events are stored. Commands of other writers wait as well. The limit is below the
         * timeout of commands. Default: nobody waits.
         */
        public Builder waitForReplicas(int replicas, Duration limit) {
            if (replicas < 1) {
                throw new IllegalArgumentException("replicas must be at least 1: " + replicas);
            }
            if (limit.isNegative() || limit.isZero()) {
                throw new IllegalArgumentException("limit must be positive: " + limit);
            }
            this.replication = new Replication(replicas, limit);
            return this;
        }

        /**
         * The executor that starts the delivery of events written outside of transactions. By default, it runs
         * immediately, on the same thread. For a transaction of something else, whose end is better awaited though it
         * does not decide.
         */
        public Builder deliverWrites(Executor deliveries) {
            this.deliveries = Objects.requireNonNull(deliveries, "deliveries");
            return this;
        }

        /**
         * Refuses events that are written neither in {@link #inTransaction} nor in {@link #runScript}, as on another
         * thread than that of the block. Default: an event may be written alone.
         */
        public Builder requireTransaction() {
            this.transactionsOnly = true;
            return this;
        }

        /**
         * Connects, and checks the server.
         *
         * @throws IllegalStateException if the server is too old, may evict events, refuses commands to this user, or
         * holds events
         *     of another layout; if the address has no timeout, or replicas have no less time than that
         * @throws RedisOutboxException if it cannot be reached
         */
        public RedisOutbox connect() {
            if (timeout().isZero() || timeout().isNegative()) {
                throw new IllegalStateException("The address has no timeout (" + timeout()
                        + "), so calls could wait for ever; set one with RedisURI.setTimeout");
            }
            replication.requireLessThan(timeout());
            return new RedisOutbox(this);
        }
    }
}
