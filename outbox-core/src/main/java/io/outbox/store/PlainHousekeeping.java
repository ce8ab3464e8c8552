package io.outbox.store;

import io.outbox.model.EventCount;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.EventPurger;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts, purges and dead events of a plain store, which has no counts: what it shows when it is read once is counted,
 * up to {@value #COUNTED} events.
 */
final class PlainHousekeeping implements HousekeepingBackend {

    private static final int COUNTED = 1000;
    /** Beyond any due time, and within what every database can hold. */
    private static final Duration FAR = Duration.ofDays(36_500);

    private final Connections connections;
    private final @Nullable OutboxStore store;
    private final EventPurger purger;

    /** The store may be {@code null} if nothing but purging is asked for. */
    PlainHousekeeping(Connections connections, @Nullable OutboxStore store, EventPurger purger) {
        this.connections = connections;
        this.store = store;
        this.purger = purger;
    }

    private OutboxStore store() {
        return Objects.requireNonNull(store, "this part can only purge");
    }

    @Override
    public List<PendingEvents> pending(Instant now) {
        Map<String, List<OutboxEvent>> byType = byType(now);
        return byType.entrySet().stream()
                .map(type -> new PendingEvents(
                        type.getKey(),
                        type.getValue().size(),
                        type.getValue().get(0).createdAt()))
                .toList();
    }

    @Override
    public List<EventCount> counts() {
        return byType(Instant.now().plus(FAR)).entrySet().stream()
                .map(type -> new EventCount(type.getKey(), type.getValue().size(), 0))
                .toList();
    }

    private Map<String, List<OutboxEvent>> byType(Instant now) {
        return connections.with(conn -> store().pollPending(conn, now, Duration.ZERO, COUNTED)).stream()
                .collect(Collectors.groupingBy(OutboxEvent::eventType, TreeMap::new, Collectors.toList()));
    }

    @Override
    public int purge(Instant before, int limit) {
        return connections.with(conn -> purger.purge(conn, before, limit));
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return connections.with(conn -> purger.purgeDone(conn, before, limit));
    }

    /** What a plain store has shown already. */
    private record Seen(Set<String> ids) implements PageCursor {}

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        Set<String> seen = query.after() instanceof Seen before ? before.ids : Set.of();
        for (long limit = query.limit(); ; limit *= 2) {
            int most = (int) Math.min(Integer.MAX_VALUE, limit);
            List<OutboxEvent> rows =
                    connections.with(conn -> store().queryDead(conn, query.eventType(), query.aggregateType(), most));
            List<OutboxEvent> unseen =
                    rows.stream().filter(row -> !seen.contains(row.eventId())).toList();
            if (rows.size() < most || !unseen.isEmpty()) {
                return unseenPage(unseen, seen, query.limit(), rows.size() >= most);
            }
        }
    }

    private static Page<OutboxEvent> unseenPage(List<OutboxEvent> unseen, Set<String> seen, int limit, boolean more) {
        List<OutboxEvent> page = unseen.subList(0, Math.min(limit, unseen.size()));
        Set<String> shown = new HashSet<>(seen);
        page.forEach(row -> shown.add(row.eventId()));
        return new Page<>(page, more || page.size() < unseen.size() ? new Seen(shown) : null);
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        return connections.with(conn -> replayAllOrNone(conn, eventIds));
    }

    /** Replays all or none, so that a failure leaves nothing replayed that the caller does not know of. */
    private int replayAllOrNone(Connection conn, Collection<String> eventIds) {
        try {
            return OwnTransaction.run(
                    conn,
                    () -> eventIds.stream()
                            .mapToInt(eventId -> store().replayDead(conn, eventId))
                            .sum());
        } catch (SQLException e) {
            throw new OutboxBackendException("The events cannot be replayed: " + e.getMessage(), e);
        }
    }

    @Override
    public int countDead(@Nullable String eventType) {
        return connections.with(conn -> store().countDead(conn, eventType));
    }

    @Override
    public List<InspectedEvent> lookUp(Collection<String> eventIds) {
        throw new UnsupportedOperationException(
                "A plain OutboxStore cannot look up events by their id: use one of JdbcOutboxStores, or an OwnershipStore");
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
