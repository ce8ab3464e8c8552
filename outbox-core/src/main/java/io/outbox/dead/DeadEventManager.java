package io.outbox.dead;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.StoreBackend;
import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds, counts and replays DEAD events. A replayed event is NEW again, with all its attempts. If the store fails, the
 * failure is logged and the methods return their empty result. Thread-safe.
 */
public final class DeadEventManager {

    private static final System.Logger LOG = System.getLogger(DeadEventManager.class.getName());

    private final OutboxBackend backend;
    private final Runnable onReplay;

    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this(StoreBackend.forDelivery(connectionProvider, outboxStore));
    }

    public DeadEventManager(OutboxBackend backend) {
        this(backend, () -> {});
    }

    /** Creates a manager that runs the action after a replay, so that a poller need not wait for its interval. */
    public DeadEventManager(OutboxBackend backend, Runnable onReplay) {
        this.backend = Objects.requireNonNull(backend, "backend");
        this.onReplay = Objects.requireNonNull(onReplay, "onReplay");
    }

    /** Returns up to {@code limit} dead events, oldest first; {@code null} filters match all. */
    public List<OutboxEvent> query(String eventType, String aggregateType, int limit) {
        requireAtLeastOne(limit, "limit");
        return orOnFailure("query dead events", List.of(), () -> backend.queryDead(eventType, aggregateType, limit));
    }

    /** Replays one dead event; returns false if there is none with this id. */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return replayed(eventId) > 0;
    }

    /** Returns the number of events replayed, or a negative number if the store failed. */
    private int replayed(String eventId) {
        int changed = orOnFailure("replay event " + eventId, -1, () -> backend.replayDead(eventId));
        if (changed > 0) {
            onReplay.run();
        }
        return changed;
    }

    /**
     * Replays the dead events that match, in batches, each once, and returns how many. An event that dies again
     * meanwhile stays dead and keeps none behind it from being replayed.
     */
    public int replayAll(String eventType, String aggregateType, int batchSize) {
        requireAtLeastOne(batchSize, "batchSize");
        Set<String> seen = new HashSet<>();
        int replayed = 0;
        int deadAgain = 0;
        while (true) {
            int limit = batchSize + deadAgain;
            List<OutboxEvent> page = query(eventType, aggregateType, limit);
            deadAgain = 0;
            for (OutboxEvent event : page) {
                if (!seen.add(event.eventId())) {
                    deadAgain++;
                    continue;
                }
                int changed = replayed(event.eventId());
                if (changed < 0) {
                    return replayed;
                }
                replayed += Math.min(changed, 1);
            }
            if (page.size() < limit) {
                return replayed;
            }
        }
    }

    /** Counts the dead events of a type; {@code null} counts all. */
    public int count(String eventType) {
        return orOnFailure("count dead events", 0, () -> backend.countDead(eventType));
    }

    private static <T> T orOnFailure(String what, T fallback, Supplier<T> action) {
        try {
            return action.get();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "Cannot " + what, e);
            return fallback;
        }
    }

    private static void requireAtLeastOne(int value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + value);
        }
    }
}
