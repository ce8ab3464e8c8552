package io.outbox.jdbc.store;

import io.outbox.model.EventCount;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.EventPurger;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Page;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Counts, purges and dead events of the outbox table: each operation of the seam by the class that has its statements.
 */
class JdbcHousekeeping implements HousekeepingBackend {

    final ConnectionProvider provider;
    final StoreConnections connections;
    private final AbstractJdbcOutboxStore store;
    private final EventPurger purger;

    JdbcHousekeeping(AbstractJdbcOutboxStore store, ConnectionProvider provider, EventPurger purger) {
        this.store = store;
        this.provider = provider;
        this.connections = new StoreConnections(store, provider);
        this.purger = purger;
    }

    @Override
    public List<PendingEvents> pending(Instant now) {
        return connections.reading(conn -> new DuePages(store, conn).pending(now));
    }

    @Override
    public List<EventCount> counts() {
        return connections.reading(conn -> new DuePages(store, conn).counts());
    }

    @Override
    public int purge(Instant before, int limit) {
        return connections.with(conn -> purger.purge(conn, before, limit));
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return connections.with(conn -> purger.purgeDone(conn, before, limit));
    }

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        return connections.reading(conn -> new DeadRows(store, conn)
                .read(query.eventType(), query.aggregateType(), DeadCursor.from(query.after()), query.limit()));
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        return connections.with(conn -> new DeadRows(store, conn).replay(eventIds));
    }

    @Override
    public int countDead(String eventType) {
        return connections.with(conn -> store.countDead(conn, eventType));
    }

    @Override
    public List<InspectedEvent> lookUp(Collection<String> eventIds) {
        return connections.readingFromPrimary(conn -> new EventStates(store, conn).of(eventIds));
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return Optional.of(new JdbcInspection(provider, store));
    }

    @Override
    public Optional<DeadEventBackend> deadEvents() {
        return Optional.of(new JdbcDeadEvents(provider, store));
    }
}
