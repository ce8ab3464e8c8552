package io.outbox.store;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Delivers from a store with the five methods, or the six with {@code claimPending}, that document the least a store
 * brings: events of all types from the front, one statement per outcome, and no lock but that of its own claim.
 *
 * <p>Such a store has no pages. A cursor therefore remembers what was read, and the next page is what lies behind it in
 * a longer read from the front.
 */
final class PlainDelivery implements DeliveryBackend {

    /** How many events are read to tell of their types. */
    private static final int FIRST = 1000;

    private final Connections connections;
    private final OutboxStore store;
    private final Set<Capability> capabilities;

    PlainDelivery(Connections connections, OutboxStore store) {
        this.connections = connections;
        this.store = store;
        this.capabilities = overridesClaim(store) ? Set.of(Capability.CLAIM) : Set.of();
    }

    private static boolean overridesClaim(OutboxStore store) {
        try {
            return store.getClass()
                            .getMethod(
                                    "claimPending",
                                    Connection.class,
                                    String.class,
                                    Instant.class,
                                    Instant.class,
                                    Duration.class,
                                    int.class)
                            .getDeclaringClass()
                    != OutboxStore.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What was read so far and still waited when the last page was read. */
    private record Seen(Set<String> ids) implements PageCursor {}

    /** Where every claim begins: what was claimed is out of the way. */
    private enum Front implements PageCursor {
        INSTANCE
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        requireAllTypes(request.types());
        Set<String> seen = request.after() instanceof Seen before ? before.ids : Set.of();
        int limit = (int) Math.min(Integer.MAX_VALUE, (long) request.limit() + seen.size());
        List<OutboxEvent> rows =
                connections.with(conn -> store.pollPending(conn, request.now(), request.skipRecent(), limit));
        List<OutboxEvent> unseen =
                rows.stream().filter(row -> !seen.contains(row.eventId())).toList();
        boolean more = rows.size() >= limit && !unseen.isEmpty();
        return new Page<>(due(unseen), more ? new Seen(ids(rows)) : null);
    }

    private static Set<String> ids(List<OutboxEvent> rows) {
        Set<String> ids = new HashSet<>();
        rows.forEach(row -> ids.add(row.eventId()));
        return ids;
    }

    private static List<DueEvent> due(List<OutboxEvent> rows) {
        return rows.stream().map(row -> new DueEvent(row, null)).toList();
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        if (!supports(Capability.CLAIM)) {
            return DeliveryBackend.super.claim(request);
        }
        requireAllTypes(request.scope().types());
        List<OutboxEvent> claimed = connections.with(conn -> store.claimPending(
                conn,
                request.lease().holder(),
                request.asOf(),
                request.lockExpiry(),
                request.scope().skipRecent(),
                request.limit()));
        return new ClaimedPage(due(claimed), 0, claimed.size() >= request.limit() ? Front.INSTANCE : null);
    }

    /** Applies all outcomes or none, since repeating a part of them would count attempts twice. */
    @Override
    public Map<String, EventStatus> apply(@Nullable String ownerId, List<Outcome> outcomes) {
        return connections.with(conn -> {
            if (outcomes.size() == 1) {
                return applyOneByOne(conn, outcomes);
            }
            try {
                return OwnTransaction.run(conn, () -> applyOneByOne(conn, outcomes));
            } catch (SQLException e) {
                throw new OutboxBackendException("The outcomes cannot be written: " + e.getMessage(), e);
            }
        });
    }

    private Map<String, EventStatus> applyOneByOne(Connection conn, List<Outcome> outcomes) {
        Map<String, EventStatus> applied = new HashMap<>();
        for (Outcome outcome : outcomes) {
            String id = outcome.eventId();
            if (outcome instanceof Outcome.Done) {
                record(applied, id, EventStatus.DONE, store.markDone(conn, id));
            } else if (outcome instanceof Outcome.Deferred deferred) {
                record(applied, id, EventStatus.NEW, store.markDeferred(conn, id, deferred.until()));
            } else if (outcome instanceof Outcome.Dead dead) {
                record(applied, id, EventStatus.DEAD, store.markDead(conn, id, dead.error()));
            } else if (outcome instanceof Outcome.Failed failed && failed.attempts() + 1 >= failed.maxAttempts()) {
                record(applied, id, EventStatus.DEAD, store.markDead(conn, id, failed.error()));
            } else if (outcome instanceof Outcome.Failed failed) {
                record(applied, id, EventStatus.RETRY, store.markRetry(conn, id, failed.retryAt(), failed.error()));
            }
        }
        return applied;
    }

    private static void record(Map<String, EventStatus> applied, String eventId, EventStatus status, int rows) {
        if (rows > 0) {
            applied.put(eventId, status);
        }
    }

    @Override
    public Instant currentTime() {
        return Instant.now();
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return Optional.empty();
    }

    /** Goes by the time of creation, since a row of such a store need not tell when it became due. */
    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        List<OutboxEvent> oldest = connections.with(conn -> store.pollPending(conn, now, Duration.ZERO, 1));
        return oldest.stream().map(OutboxEvent::createdAt).findFirst();
    }

    /** Such a store reads from the front only. */
    @Override
    public @Nullable PageCursor placeOf(Instant due) {
        return null;
    }

    /** Tells of what is first in one read, again by the time of creation. */
    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        List<OutboxEvent> rows = connections.with(conn -> store.pollPending(conn, Instant.now(), Duration.ZERO, FIRST));
        return DueTypes.of(
                rows.stream()
                        .map(row -> new DueType(row.eventType(), row.createdAt()))
                        .toList(),
                false);
    }

    private void requireAllTypes(EventTypes types) {
        if (!types.isAll()) {
            throw new UnsupportedOperationException(this + " cannot read events by type");
        }
    }

    @Override
    public String toString() {
        return store.getClass().getName() + ", which is not an OwnershipStore,";
    }
}
