package io.outbox.dead;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Limits;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Page;
import io.outbox.store.StoreBackend;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds, counts and replays DEAD events. A replayed event is NEW again, with all its attempts. If the store fails, the
 * failure is logged and the methods return their empty result. Thread-safe.
 */
public final class DeadEventManager {

    private static final System.Logger LOG = System.getLogger(DeadEventManager.class.getName());

    private static final int FAILED = -1;

    private final HousekeepingBackend backend;
    private final Runnable onReplay;

    public DeadEventManager(ConnectionProvider connectionProvider, OutboxStore outboxStore) {
        this(StoreBackend.forHousekeeping(connectionProvider, outboxStore, null));
    }

    public DeadEventManager(HousekeepingBackend backend) {
        this(backend, () -> {});
    }

    /** Creates a manager that runs the action after a replay, so that a poller need not wait for its interval. */
    public DeadEventManager(HousekeepingBackend backend, Runnable onReplay) {
        this.backend = Objects.requireNonNull(backend, "backend");
        this.onReplay = Objects.requireNonNull(onReplay, "onReplay");
    }

    /** Returns up to {@code limit} dead events, oldest first, of one type or of all. */
    public List<OutboxEvent> query(@Nullable String eventType, @Nullable String aggregateType, int limit) {
        DeadQuery query = new DeadQuery(eventType, aggregateType, limit, null);
        return orOnFailure(
                "query dead events", List.of(), () -> backend.queryDead(query).items());
    }

    /** Replays one dead event; returns false if there is none with this id. */
    public boolean replay(String eventId) {
        Objects.requireNonNull(eventId, "eventId");
        return replay(List.of(eventId)) > 0;
    }

    /** Returns the number of events replayed, or {@link #FAILED}. */
    private int replay(List<String> eventIds) {
        int replayed = orOnFailure("replay " + eventIds.size() + " events", FAILED, () -> backend.replayDead(eventIds));
        if (replayed > 0) {
            onReplay.run();
        }
        return replayed;
    }

    /**
     * Replays the dead events that match, in batches, and returns how many. An event that dies again meanwhile stays
     * dead and keeps none behind it from being replayed.
     */
    public int replayAll(@Nullable String eventType, @Nullable String aggregateType, int batchSize) {
        Limits.atLeastOne(batchSize, "batchSize");
        DeadQuery query = new DeadQuery(eventType, aggregateType, batchSize, null);
        int total = 0;
        while (true) {
            DeadQuery next = query;
            Optional<Page<OutboxEvent>> found =
                    orOnFailure("query dead events", Optional.empty(), () -> Optional.of(backend.queryDead(next)));
            if (found.isEmpty()) {
                return total;
            }
            Page<OutboxEvent> page = found.get();
            int replayed = page.items().isEmpty()
                    ? 0
                    : replay(page.items().stream().map(OutboxEvent::eventId).toList());
            if (replayed == FAILED) {
                return total;
            }
            total += replayed;
            if (page.next() == null) {
                return total;
            }
            query = query.after(page.next());
        }
    }

    /** Counts the dead events of a type, or all if none is given. */
    public int count(@Nullable String eventType) {
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
}
