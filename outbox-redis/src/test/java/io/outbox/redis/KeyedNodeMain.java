package io.outbox.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A node that writes and delivers in the order of keys, in a process of its own, until its standard input ends. What a
 * transaction or script has written is noted by the same transaction or script, so that their order is known; the
 * listener notes what it got.
 */
final class KeyedNodeMain {

    static final String EVENT_TYPE = "Ordered";
    private static final int FAILS_ONE_IN = 30;
    private static final int GIVES_UP_ONE_IN = 20;
    private static final long THINK_NANOS = 2_000_000;

    private final RedisOutbox redis;
    private final Outbox outbox;
    private final String name;
    private final AtomicBoolean stopping = new AtomicBoolean();

    private KeyedNodeMain(RedisOutbox redis, Outbox outbox, String name) {
        this.redis = redis;
        this.outbox = outbox;
        this.name = name;
    }

    /**
     * Arguments: address, name of the outbox, name of the node, lease in milliseconds, number of keys, number of
     * writers.
     */
    public static void main(String[] args) throws Exception {
        RedisURI uri = RedisURI.create(args[0]);
        RedisCommands<String, String> notes = RedisClient.create(uri).connect().sync();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(EVENT_TYPE, listener(notes, journal(args[1]), args[2]));
        try (RedisOutbox redis = RedisOutbox.builder(uri).name(args[1]).connect();
                Outbox outbox = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .listenerRegistry(listeners)
                        .claimLocking(args[2], Duration.ofMillis(Long.parseLong(args[3])))
                        .ordering(Ordering.byKey())
                        .maxAttempts(1000)
                        .retryPolicy(attempt -> 20)
                        .intervalMs(200)
                        .purgeRetention(Duration.ZERO)
                        .drainTimeoutMs(100)
                        .build()) {
            new KeyedNodeMain(redis, outbox, args[1]).run(Integer.parseInt(args[4]), Integer.parseInt(args[5]));
        }
        System.exit(0);
    }

    static String written(String name, String key) {
        return "{" + name + "}:written:" + key;
    }

    static String journal(String name) {
        return "{" + name + "}:journal";
    }

    private void run(int keys, int writerCount) throws Exception {
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < writerCount; i++) {
            Thread writer = new Thread(() -> {
                while (!stopping.get()) {
                    write("k" + ThreadLocalRandom.current().nextInt(keys));
                    LockSupport.parkNanos(THINK_NANOS);
                }
            });
            writer.start();
            writers.add(writer);
        }
        System.out.println("ready");
        System.in.read(); // stop writing
        stopping.set(true);
        for (Thread writer : writers) {
            writer.join();
        }
        System.out.println("written");
        while (System.in.read() >= 0) {
            // only the end matters
        }
    }

    private void write(String key) {
        EventEnvelope event = EventEnvelope.builder(EVENT_TYPE)
                .aggregateId(key)
                .payloadJson("{}")
                .build();
        boolean givesUp = ThreadLocalRandom.current().nextInt(GIVES_UP_ONE_IN) == 0;
        if (ThreadLocalRandom.current().nextBoolean()) {
            String script = givesUp ? "return false" : "return redis.call('RPUSH', KEYS[1], ARGV[1])";
            redis.runScript(
                    script,
                    List.of(written(name, key)),
                    List.of(event.eventId()),
                    () -> outbox.writer().write(event));
            return;
        }
        try {
            redis.inTransaction(commands -> {
                commands.rpush(written(name, key), event.eventId());
                outbox.writer().write(event);
                if (givesUp) {
                    throw new IllegalStateException("gives up on purpose");
                }
            });
        } catch (IllegalStateException e) {
            if (!givesUp) {
                throw e;
            }
        }
    }

    private static EventListener listener(RedisCommands<String, String> notes, String journal, String node) {
        return event -> {
            notes.rpush(journal, "begin " + event.key() + " " + event.eventId() + " " + node);
            if (ThreadLocalRandom.current().nextInt(FAILS_ONE_IN) == 0) {
                throw new IllegalStateException("fails on purpose");
            }
            notes.rpush(journal, "end " + event.key() + " " + event.eventId() + " " + node);
            return DispatchResult.done();
        };
    }
}
