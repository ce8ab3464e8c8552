package io.outbox.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.WakeUp;
import io.outbox.upkeep.HintCounts;
import io.outbox.upkeep.HintDebounce;
import io.outbox.upkeep.HintListeners;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hints by publish and subscribe, on a channel of the outbox's name.
 *
 * <p>The subscription has a connection of its own, made when the first listener comes. A lost connection is made again
 * after growing pauses; one that is only silent is found by a ping. Whenever it is there, listeners are called once for
 * what they missed. The first fault of each kind is logged as a warning, its repetitions are not. Thread-safe; never
 * blocks.
 */
final class RedisWakeUp implements WakeUp, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(RedisWakeUp.class.getName());
    private static final long FIRST_PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 10_000;
    private static final long PING_MS = 10_000;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final String SEPARATOR = "\n";

    private final RedisConnecting connecting;
    private final RedisLink publishing;
    private final String channel;
    private final long limitMs;
    private final ScheduledExecutorService timer;
    private final HintDebounce debounce;
    private final HintListeners listeners = new HintListeners();
    private final HintCounts counts = new HintCounts();
    private final Outage sending;
    private final Outage listening;
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;
    private long pauseMs = FIRST_PAUSE_MS;
    private boolean started;
    private volatile boolean closed;

    RedisWakeUp(
            RedisConnecting connecting,
            ScheduledExecutorService timer,
            RedisLink publishing,
            RedisKeys keys,
            Duration timeout) {
        this.connecting = connecting;
        this.limitMs = Math.min(timeout.toMillis(), PING_MS);
        this.timer = timer;
        this.publishing = publishing;
        this.channel = keys.wakeUpChannel();
        String of = "Channel " + channel + ": ";
        this.sending = new Outage(
                LOG,
                Level.WARNING,
                of + "Hints cannot be sent; other nodes find events by their next poll",
                of + "Hints are sent again");
        this.listening = new Outage(
                LOG,
                Level.WARNING,
                of + "Hints do not arrive; events are found by the next poll",
                of + "Hints arrive again");
        this.debounce = new HintDebounce(this::later, this::publish);
    }

    private void later(long nanos, Runnable task) {
        try {
            timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "The client of Redis is closing", e);
        }
    }

    // Sending

    @Override
    public void signal(Set<String> eventTypes) {
        debounce.signal(eventTypes);
    }

    private void publish(Set<String> eventTypes) {
        String types = String.join(SEPARATOR, eventTypes);
        boolean isPlain =
                types.length() <= LONGEST_MESSAGE && eventTypes.stream().noneMatch(type -> type.contains(SEPARATOR));
        publishing
                .connection()
                .thenCompose(redis -> publish(redis, isPlain ? types : ""))
                .whenComplete((receivers, failure) -> {
                    note(sending, failure);
                    if (failure == null) {
                        counts.sent();
                    } else {
                        counts.dropped();
                    }
                });
    }

    /**
     * Sends a hint, and gives up a connection that is silent: where only hints go over it, nobody else would notice.
     */
    private CompletableFuture<Long> publish(StatefulRedisConnection<String, String> redis, String types) {
        return inTime(redis.async().publish(channel, types)).whenComplete((receivers, failure) -> {
            if (failure instanceof TimeoutException) {
                publishing.drop(redis);
            }
        });
    }

    private <T> CompletableFuture<T> inTime(RedisFuture<T> answer) {
        return answer.toCompletableFuture().orTimeout(limitMs, TimeUnit.MILLISECONDS);
    }

    private void note(Outage outage, @Nullable Throwable failure) {
        if (failure == null) {
            outage.over();
        } else if (!closed) {
            outage.failed(failure);
        }
    }

    // Listening

    @Override
    public Listening listen(Consumer<Set<String>> listener) {
        listeners.add(listener);
        synchronized (this) {
            if (!started) {
                started = true;
                connect();
            } else if (isConnected()) {
                listeners.tell(listener, Set.of());
            }
        }
        return () -> listeners.remove(listener);
    }

    @Override
    public synchronized boolean isConnected() {
        return connection != null && connection.isOpen();
    }

    @Override
    public void reportTo(MetricsExporter metrics) {
        counts.reportTo(metrics);
    }

    private synchronized void connect() {
        if (closed) {
            return;
        }
        connecting.connectPubSub().thenCompose(this::subscribe).whenComplete((made, failure) -> {
            note(listening, failure);
            if (failure == null) {
                connected(made);
            } else {
                connectLater();
            }
        });
    }

    private CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscribe(
            StatefulRedisPubSubConnection<String, String> made) {
        made.addListener(new Receiver());
        return inTime(made.async().subscribe(channel))
                .thenApply(subscribed -> made)
                .whenComplete((subscribed, failure) -> {
                    if (failure != null) {
                        made.closeAsync();
                    }
                });
    }

    private void connected(StatefulRedisPubSubConnection<String, String> made) {
        synchronized (this) {
            if (closed) {
                made.closeAsync();
                return;
            }
            connection = made;
            pauseMs = FIRST_PAUSE_MS;
        }
        made.addListener(new Loss(made));
        if (!made.isOpen()) {
            lost(made);
            return;
        }
        listeners.call(Set.of());
        pingLater(made);
    }

    private synchronized void connectLater() {
        if (closed) {
            return;
        }
        later(TimeUnit.MILLISECONDS.toNanos(pauseMs), this::connect);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }

    private synchronized void lost(StatefulRedisPubSubConnection<String, String> which) {
        if (connection == which) {
            connection = null;
            which.closeAsync();
            connectLater();
        }
    }

    private void pingLater(StatefulRedisPubSubConnection<String, String> which) {
        later(TimeUnit.MILLISECONDS.toNanos(PING_MS), () -> ping(which));
    }

    private void ping(StatefulRedisPubSubConnection<String, String> which) {
        synchronized (this) {
            if (connection != which) {
                return;
            }
        }
        inTime(which.async().ping()).whenComplete((pong, failure) -> {
            if (failure == null) {
                pingLater(which);
            } else {
                lost(which);
            }
        });
    }

    /** Connects no more; the connection that is there ends with the client. */
    @Override
    public synchronized void close() {
        closed = true;
        connection = null;
    }

    /** Passes hints on. */
    private final class Receiver extends RedisPubSubAdapter<String, String> {
        @Override
        public void message(String from, String types) {
            counts.heard();
            listeners.call(types.isEmpty() ? Set.of() : new HashSet<>(Arrays.asList(types.split(SEPARATOR))));
        }
    }

    /** Notices that the connection is gone. */
    private final class Loss implements RedisConnectionStateListener {

        private final StatefulRedisPubSubConnection<String, String> which;

        private Loss(StatefulRedisPubSubConnection<String, String> which) {
            this.which = which;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
            lost(which);
        }
    }
}
