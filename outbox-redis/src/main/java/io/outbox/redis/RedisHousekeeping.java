package io.outbox.redis;

import io.outbox.model.EventCount;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts, purges and dead events in Redis. Thread-safe. */
final class RedisHousekeeping implements HousekeepingBackend {

    private static final int BACKLOG_VALUES = 5;

    /** How many dead events are read at a time where a query may leave some of them out. */
    private static final int DEAD_PAGE = 100;

    /** The place behind a dead event. */
    private record DeadPlace(String member) implements PageCursor {

        static DeadPlace behind(OutboxEvent event) {
            return new DeadPlace(Micros.sortable(event.createdAt()) + event.eventId());
        }
    }

    private final RedisCalls redis;
    private final Mending mending;

    RedisHousekeeping(RedisCalls redis, Mending mending) {
        this.redis = redis;
        this.mending = mending;
    }

    @Override
    public List<PendingEvents> pending(Instant now) {
        List<PendingEvents> pending = new ArrayList<>();
        List<Object> reply = redis.run(Script.BACKLOG, List.of(Micros.text(now)));
        for (int i = 0; i < reply.size(); i += BACKLOG_VALUES) {
            long due = (Long) reply.get(i + 3);
            if (due > 0) {
                pending.add(new PendingEvents((String) reply.get(i), due, Micros.instant((String) reply.get(i + 4))));
            }
        }
        return pending;
    }

    @Override
    public List<EventCount> counts() {
        List<EventCount> counts = new ArrayList<>();
        List<Object> reply = redis.run(Script.BACKLOG, List.of(Micros.text(Instant.EPOCH)));
        for (int i = 0; i < reply.size(); i += BACKLOG_VALUES) {
            counts.add(new EventCount((String) reply.get(i), (Long) reply.get(i + 1), (Long) reply.get(i + 2)));
        }
        return counts;
    }

    @Override
    public int purge(Instant before, int limit) {
        return purge(before, Micros.sortable(before), limit);
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return purge(before, "", limit);
    }

    private int purge(Instant doneBefore, String deadBefore, int limit) {
        List<String> args = List.of(Micros.text(doneBefore), deadBefore, Integer.toString(limit));
        return ((Long) redis.run(Script.PURGE, args).get(0)).intValue();
    }

    /**
     * Leaves the type to the script, and looks for the aggregate type itself: it is in the body, which scripts do not
     * look into.
     */
    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        int pageSize = query.aggregateType() == null ? query.limit() + 1 : Math.max(DEAD_PAGE, query.limit() + 1);
        String type = query.eventType() == null ? "" : "=" + query.eventType();
        List<OutboxEvent> found = new ArrayList<>();
        String after = query.after() == null ? "" : ((DeadPlace) query.after()).member;
        do {
            List<Object> reply = redis.run(Script.DEAD_PAGE, List.of(after, Integer.toString(pageSize), type));
            mending.mend(reply.get(1));
            for (DueEvent dead : EventRows.read(reply, 2)) {
                if (query.aggregateType() == null
                        || query.aggregateType().equals(dead.event().aggregateType())) {
                    found.add(dead.event());
                }
            }
            after = (String) reply.get(0);
        } while (found.size() <= query.limit() && !after.isEmpty());
        if (found.size() <= query.limit()) {
            return Page.last(found);
        }
        return new Page<>(found.subList(0, query.limit()), DeadPlace.behind(found.get(query.limit() - 1)));
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        List<String> args = new ArrayList<>(new LinkedHashSet<>(eventIds));
        return ((Long) redis.run(Script.REPLAY, args).get(0)).intValue();
    }

    @Override
    public int countDead(@Nullable String eventType) {
        if (eventType == null) {
            return redis.call(commands -> commands.zcard(redis.keys().dead())).intValue();
        }
        String count = redis.call(commands -> commands.hget(redis.keys().deadCount(), eventType));
        return count == null ? 0 : Integer.parseInt(count);
    }

    @Override
    public List<InspectedEvent> lookUp(Collection<String> eventIds) {
        return eventIds.isEmpty()
                ? List.of()
                : EventRows.readStates(redis.run(Script.LOOK_UP, List.copyOf(new LinkedHashSet<>(eventIds))));
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return Optional.empty();
    }

    @Override
    public Optional<DeadEventBackend> deadEvents() {
        return Optional.empty();
    }
}
