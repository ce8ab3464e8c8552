package io.outbox.redis;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether this instance keeps the order of keys, and what it needs to know if it does not: events that were written
 * with an order are delivered only by instances that keep it. Thread-safe.
 */
final class KeptOrder {

    private static final System.Logger LOG = System.getLogger(KeptOrder.class.getName());
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String EVENTS_OF_A_STEP = "500";

    private final RedisCalls redis;
    private final Mending mending;
    private final AtomicLong nextLook = new AtomicLong(System.nanoTime());
    private volatile boolean isKept;
    private volatile boolean isReported;

    KeptOrder(RedisCalls redis, Mending mending) {
        this.redis = redis;
        this.mending = mending;
    }

    /** Keeps the order from now on; says so if events wait that were written without one. */
    void keep() {
        isKept = true;
        long unordered = redis.call(commands -> commands.exists(redis.keys().types()));
        if (unordered > 0 && redis.call(commands -> commands.exists(redis.keys().number())) == 0) {
            LOG.log(
                    Level.INFO,
                    "Outbox ''{0}'' keeps the order of keys from now on. Events that were written before keep none, and are"
                            + " delivered beside the new ones",
                    redis.keys().name());
        }
    }

    /**
     * Called before events without an order are read, by instances that keep it and by others; seldom asks the server.
     */
    void beforeUnorderedRead() {
        long at = nextLook.get();
        if (isKept || System.nanoTime() - at < 0 || !nextLook.compareAndSet(at, System.nanoTime() + PAUSE_NANOS)) {
            return;
        }
        long waiting = redis.call(commands -> commands.zcard(redis.keys().order()));
        if (waiting > 0 && !isReported) {
            LOG.log(
                    Level.WARNING,
                    "Outbox ''{0}'' has {1} events that keep the order of their key, and this instance was built without"
                            + " ordering(...), so it does not deliver them. Build it with Ordering.byKey(), or give up the order"
                            + " by RedisOutbox.dropOrder()",
                    redis.keys().name(),
                    Long.toString(waiting));
        }
        isReported = waiting > 0;
    }

    /** Makes all events with an order events without one; returns how many were pending. */
    long drop() {
        long dropped = 0;
        String behind = "";
        boolean goesOn;
        do {
            List<Object> reply = redis.run(Script.DROP_ORDER, List.of(behind, EVENTS_OF_A_STEP));
            behind = (String) reply.get(0);
            long changed = (Long) reply.get(1);
            dropped += changed;
            boolean isMended = mending.mend(new ArrayList<>((List<?>) reply.get(2)));
            goesOn = changed > 0 || isMended || !behind.isEmpty();
        } while (goesOn);
        return dropped;
    }
}
