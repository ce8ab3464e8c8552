package io.outbox.jdbc.store;

import io.outbox.model.BlockedKey;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Delivers from the outbox table: each operation of the seam by the class that has its statements. */
class JdbcDelivery implements DeliveryBackend {

    private final AbstractJdbcOutboxStore store;
    private final StoreConnections connections;
    private final ForeignLocks foreignLocks;
    private final ParkedEvents parked;
    private final Set<Capability> capabilities;

    JdbcDelivery(AbstractJdbcOutboxStore store, ConnectionProvider provider) {
        this.store = store;
        this.connections = new StoreConnections(store, provider);
        this.foreignLocks = new ForeignLocks(store.tableName());
        this.parked = new ParkedEvents(store);
        this.capabilities = capabilities(store);
    }

    private static Set<Capability> capabilities(AbstractJdbcOutboxStore store) {
        Set<Capability> all = EnumSet.allOf(Capability.class);
        if (!store.canBeKeyed()) {
            all.remove(Capability.KEYED);
        }
        if (!store.canLockKeys()) {
            all.remove(Capability.LOCK_KEYS);
        }
        return Set.copyOf(all);
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    /** Checks that there is an index by type, and says how to create it if there is none. */
    @Override
    public void prepareReadsByType() {
        connections.with(store::requireIndexByType);
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        PageLimit limit = new PageLimit(request.limit(), request.maxBytes());
        return connections.readingFromPrimary(conn -> {
            parked.lookOnce(conn);
            return new DuePages(store, conn).read(DueRange.of(request), limit, row -> {
                foreignLocks.lookAt(row, request.now());
                return store.mapDueEvent(row);
            });
        });
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        Claim claim = new Claim(
                request.lease(),
                DueRange.of(request),
                store.free(request.lockExpiry(), request.scope().lost()),
                LockTime.ofDatabase(store.utcNow()),
                new PageLimit(request.limit(), request.maxBytes()));
        return connections.withPrimary(conn -> {
            parked.lookOnce(conn);
            return store.claim(conn, claim);
        });
    }

    @Override
    public KeyedPage claimKeyed(KeyedRequest request) {
        return connections.withPrimary(conn -> store.claimKeyed(conn, request, foreignLocks));
    }

    @Override
    public List<KeyHead> keyHeads(String after, int limit) {
        return connections.readingFromPrimary(conn -> store.keyedReads(conn).heads(after, limit));
    }

    @Override
    public List<BlockedKey> blockedKeys(BlockedKey.Order order, BlockedKey after, int limit) {
        return connections.readingLimited(conn -> new BlockedReads(store, conn).page(order, after, limit));
    }

    @Override
    public BlockedKey.Figures blockedFigures() {
        return connections.reading(conn -> new BlockedReads(store, conn).figures());
    }

    @Override
    public Map<String, EventStatus> apply(String holder, List<Outcome> outcomes) {
        return connections.with(conn -> applyOutcomes(conn, Fence.of(holder), outcomes));
    }

    @Override
    public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        return connections.with(conn -> applyOutcomes(conn, Fence.FREE, outcomes));
    }

    /** Writes the outcomes; with dead letters there is more to it. */
    Map<String, EventStatus> applyOutcomes(Connection conn, Fence fence, List<Outcome> outcomes) {
        return OutcomeUpdates.change(
                store,
                conn,
                fence,
                outcomes,
                changeable -> new OutcomeUpdates(store, conn, fence).apply(outcomes, changeable));
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return connections.readingFromPrimary(
                conn -> new OutcomeUpdates(store, conn, Fence.of(null)).doneAmong(eventIds));
    }

    @Override
    public Set<String> renew(String holder, Collection<String> eventIds) {
        return connections.with(conn -> new Locks(store, conn, holder).renew(eventIds));
    }

    @Override
    public int release(String holder, Collection<String> eventIds) {
        return connections.with(conn -> new Locks(store, conn, holder).release(eventIds));
    }

    @Override
    public Instant currentTime() {
        return connections.readingFromPrimary(store::currentTime);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return connections.readingFromPrimary(conn -> new DuePages(store, conn).nextDueAt(now));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return connections.readingFromPrimary(conn -> new DuePages(store, conn).oldestDueAt(now));
    }

    @Override
    public PageCursor placeOf(Instant due) {
        return DueCursor.before(due);
    }

    /** Looks into the index by type; without one, at the types of the first thousand events. */
    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return connections.readingFromPrimary(conn -> {
            TypeLook look = new TypeLook(store, conn);
            return store.findIndexByType(conn) ? look.all(known) : look.some(from);
        });
    }
}
