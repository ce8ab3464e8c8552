package io.outbox.internal.store;

import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Delivers from a store that keeps ownership in its rows: everything is possible. */
final class OwnershipDelivery implements DeliveryBackend {

    private static final Set<Capability> ALL = Set.copyOf(EnumSet.allOf(Capability.class));

    private final Connections connections;
    private final OwnershipStore store;

    OwnershipDelivery(Connections connections, OwnershipStore store) {
        this.connections = connections;
        this.store = store;
    }

    @Override
    public Set<Capability> capabilities() {
        return ALL;
    }

    @Override
    public void prepareReadsByType() {
        connections.with(conn -> {
            store.prepareReadsByType(conn);
            return null;
        });
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return connections.with(conn -> store.fetch(conn, request));
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return connections.with(conn -> store.claim(conn, request));
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        return connections.with(conn -> store.applyOutcomes(conn, ownerId, outcomes));
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return connections.with(conn -> store.doneAmong(conn, eventIds));
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return connections.with(conn -> store.renewLocks(conn, ownerId, eventIds));
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return connections.with(conn -> store.releaseLocks(conn, ownerId, eventIds));
    }

    @Override
    public Instant currentTime() {
        return connections.with(store::currentTime);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return connections.with(conn -> store.nextDueAt(conn, now));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return connections.with(conn -> store.oldestDueAt(conn, now));
    }

    @Override
    public PageCursor placeOf(Instant due) {
        return store.placeOf(due);
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return connections.with(conn -> store.lookByType(conn, known, from));
    }
}
