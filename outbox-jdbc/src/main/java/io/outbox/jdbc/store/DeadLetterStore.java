package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.internal.KeyColumnCheck;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventPurger;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Insertion;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.Page;
import io.outbox.store.Connections;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A store that keeps events which die in a table of their own, and remembers each failed attempt. Immutable and
 * thread-safe.
 *
 * <p>An event moves in the transaction that lets it die, and is in one of the two tables at every commit. A batch of
 * outcomes that is written again because the answer to its commit got lost finds its dead events among the letters, by
 * the same values by which it finds others in the outbox table. An event that is done and not kept counts as done when
 * its row is missing, unless it is a letter: then another node has let it die.
 *
 * <p>Outcomes that are no failures are written as without dead letters.
 */
public final class DeadLetterStore implements OwnershipStore {

    /** The table of dead letters that goes with the default outbox table. */
    public static final String DEFAULT_TABLE = "outbox_dlq_event";

    private final AbstractJdbcOutboxStore store;
    private final String tableName;
    private final boolean atDeath;
    private final Attempts attempts;
    private final DeadLetterTable letters;
    private final DeadLetterPages pages;

    private DeadLetterStore(AbstractJdbcOutboxStore store, String tableName, boolean atDeath) {
        this.store = store;
        this.tableName = TableNames.validate(tableName);
        this.atDeath = atDeath;
        this.attempts = new Attempts(store, attemptsTable(tableName));
        this.letters = new DeadLetterTable(store, tableName, attempts);
        this.pages = new DeadLetterPages(store, letters);
    }

    /** Returns the store with dead letters in the table that goes with its own; events move when they die. */
    public static DeadLetterStore of(AbstractJdbcOutboxStore store) {
        return of(store, tableFor(store.tableName()));
    }

    /**
     * Returns the store with dead letters in a table, which may be qualified by its schema; events move when they die.
     */
    public static DeadLetterStore of(AbstractJdbcOutboxStore store, String tableName) {
        return new DeadLetterStore(Objects.requireNonNull(store, "store"), tableName, true);
    }

    /** Returns the same store, in which events that die stay in the outbox table until they are moved by a schedule. */
    public DeadLetterStore movingOnSchedule() {
        return new DeadLetterStore(store, tableName, false);
    }

    /** Returns the name of the table of dead letters for an outbox table. */
    public static String tableFor(String outboxTable) {
        int dot = outboxTable.indexOf('.');
        String schema = outboxTable.substring(0, dot + 1);
        String table = outboxTable.substring(dot + 1);
        return schema + (table.equals(TableNames.DEFAULT_TABLE) ? DEFAULT_TABLE : table + "_dlq");
    }

    static String attemptsTable(String lettersTable) {
        return lettersTable + "_attempt";
    }

    /** Returns the store of the outbox table. */
    public AbstractJdbcOutboxStore outboxStore() {
        return store;
    }

    /** Returns the table of dead letters. */
    public String tableName() {
        return tableName;
    }

    boolean movesAtDeath() {
        return atDeath;
    }

    Attempts attempts() {
        return attempts;
    }

    DeadLetterTable letters() {
        return letters;
    }

    DeadLetterPages pages() {
        return pages;
    }

    // Writing, as without dead letters

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        store.insertNew(conn, event);
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        store.insertBatch(conn, events);
    }

    @Override
    public Insertion insert(Connection conn, List<NewEvent> events) {
        return store.insert(conn, events);
    }

    @Override
    public Optional<Runnable> afterFailedWrite(Connection conn, RuntimeException failure) {
        return store.afterFailedWrite(conn, failure);
    }

    @Override
    public void prepareKeys(ConnectionProvider connections) {
        store.prepareKeys(connections);
        if (connections != null) {
            new Connections(connections).with(this::requireOrderColumns);
        }
    }

    private boolean requireOrderColumns(Connection conn) {
        try {
            orderColumns().requireColumns(conn, "DeadLetterSchema.createKeyedIfMissing()");
            return true;
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot read the columns of " + tableName + ": " + e.getMessage(), e);
        }
    }

    /** Returns the columns by which a letter comes back to its place in the order of its key. */
    public KeyColumns orderColumns() {
        return new KeyColumns(
                new KeyColumnCheck(
                        new TableCatalog(tableName, store.isSchemaCatalog()),
                        new SchemaScript(
                                DeadLetterStore.class, store.schemaScript() + "-dlq", DEFAULT_TABLE, tableName),
                        store.tableRules()),
                "order_key",
                Set.of(),
                null,
                conn -> Optional.empty());
    }

    @Override
    public void lockKeys(Connection conn, Collection<String> keys) {
        store.lockKeys(conn, keys);
    }

    @Override
    public boolean isIntact(Connection conn) {
        return store.isIntact(conn);
    }

    @Override
    public Set<String> stored(Connection conn, Collection<String> eventIds) {
        return store.stored(conn, eventIds);
    }

    // Delivering

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return store.pollPending(conn, now, skipRecent, limit);
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return store.claimPending(conn, ownerId, now, lockExpiry, skipRecent, limit);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return store.markDone(conn, eventId);
    }

    @Override
    public int markDeferred(Connection conn, String eventId, Instant nextAt) {
        return store.markDeferred(conn, eventId, nextAt);
    }

    @Override
    public DeliveryBackend delivery(ConnectionProvider connections) {
        return new JdbcDelivery(store, connections) {
            @Override
            Map<String, EventStatus> applyOutcomes(Connection conn, Fence fence, List<Outcome> outcomes) {
                return OutcomeUpdates.change(
                        store, conn, fence, outcomes, changeable -> write(conn, fence, outcomes, changeable));
            }
        };
    }

    private Map<String, EventStatus> write(
            Connection conn, Fence fence, List<Outcome> outcomes, Set<String> changeable) {
        List<Outcome> failures = outcomes.stream()
                .filter(outcome -> outcome instanceof Outcome.Failed || outcome instanceof Outcome.Dead)
                .toList();
        List<Outcome> counting = failures.stream()
                .filter(failure -> changeable.contains(failure.eventId()))
                .toList();
        List<Attempts.Counted> counted = counting.isEmpty() ? List.of() : attempts.lock(conn, fence, counting);
        Map<String, EventStatus> standing =
                new OutcomeUpdates(store, conn, fence, gone -> letters.present(conn, gone)).apply(outcomes, changeable);
        if (failures.isEmpty()) {
            return standing;
        }
        attempts.insert(conn, Lease.nodeOf(fence.holder()), counted);
        if (atDeath) {
            letters.move(conn, idsOf(standing, EventStatus.DEAD), store.waitLocking());
        }
        Map<String, EventStatus> all = new HashMap<>(standing);
        recognise(conn, failures, all);
        return all;
    }

    private static Set<String> idsOf(Map<String, EventStatus> standing, EventStatus status) {
        return standing.entrySet().stream()
                .filter(entry -> entry.getValue() == status)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Adds failures that were written before, and whose events are letters since. */
    private void recognise(Connection conn, List<Outcome> failures, Map<String, EventStatus> standing) {
        Map<String, Outcome> unknown = failures.stream()
                .filter(failure -> !standing.containsKey(failure.eventId()))
                .collect(Collectors.toMap(Outcome::eventId, failure -> failure, (first, last) -> last));
        if (!unknown.isEmpty()) {
            letters.find(conn, unknown.keySet()).stream()
                    .filter(letter -> shows(letter, unknown.get(letter.eventId())))
                    .forEach(letter -> standing.put(letter.eventId(), EventStatus.DEAD));
        }
    }

    private static boolean shows(DeadLetter letter, Outcome outcome) {
        boolean isDue = !(outcome instanceof Outcome.Failed failed)
                || failed.retryAt()
                        .truncatedTo(ChronoUnit.MICROS)
                        .equals(letter.event().availableAt());
        return isDue
                && OutcomeUpdates.sameText(
                        Attempts.error(outcome), letter.failure().error());
    }

    /** Marks the event, and moves it as delivery would. */
    @Override
    public int markDead(Connection conn, String eventId, String error) {
        Outcome.Dead dead = new Outcome.Dead(eventId, error);
        return store.inTransaction(conn, () -> {
            List<Attempts.Counted> counted = attempts.lock(conn, Fence.of(null), List.of(dead));
            int rows = store.markDead(conn, eventId, error);
            attempts.insert(conn, null, counted);
            if (atDeath && rows > 0) {
                letters.move(conn, List.of(eventId), store.waitLocking());
            }
            return rows;
        });
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        Outcome.Failed failed = new Outcome.Failed(eventId, nextAt, Integer.MAX_VALUE, Integer.MAX_VALUE, error);
        return store.inTransaction(conn, () -> {
            List<Attempts.Counted> counted = attempts.lock(conn, Fence.of(null), List.of(failed));
            int rows = store.markRetry(conn, eventId, nextAt, error);
            attempts.insert(conn, null, counted);
            return rows;
        });
    }

    // Keeping house

    @Override
    public HousekeepingBackend housekeeping(ConnectionProvider connections, EventPurger purger) {
        return new Housekeeping(connections, purger);
    }

    @Override
    public List<OutboxEvent> queryDead(Connection conn, String eventType, String aggregateType, int limit) {
        return dead(conn, new DeadQuery(eventType, aggregateType, limit, null)).items();
    }

    /** Merges DEAD events of the outbox table and letters that nobody has decided on, in order of creation. */
    private Page<OutboxEvent> dead(Connection conn, DeadQuery query) {
        return store.reading(conn, () -> {
            Page<OutboxEvent> outbox = new DeadRows(store, conn)
                    .read(query.eventType(), query.aggregateType(), DeadCursor.from(query.after()), query.limit());
            List<OutboxEvent> page = Stream.concat(outbox.items().stream(), pages.dead(conn, query).stream())
                    .sorted(Comparator.comparing(DeadCursor::of))
                    .limit(query.limit())
                    .toList();
            return new Page<>(page, page.size() < query.limit() ? null : DeadCursor.of(page.get(page.size() - 1)));
        });
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return replay(conn, List.of(eventId));
    }

    /** Replays those in the outbox table, and returns those letters that nobody has decided on and whose id is free. */
    private int replay(Connection conn, Collection<String> eventIds) {
        return store.inTransaction(conn, () -> {
            int replayed = new DeadRows(store, conn).replay(eventIds);
            Set<String> taken = letters.taken(conn, eventIds);
            List<DeadLetter> moved = letters.lock(conn, new HashSet<>(eventIds)).stream()
                    .filter(letter -> letter.status() == DlqStatus.MOVED && !taken.contains(letter.eventId()))
                    .toList();
            letters.toOutbox(conn, moved);
            return replayed + moved.size();
        });
    }

    @Override
    public int countDead(Connection conn, String eventType) {
        return store.countDead(conn, eventType) + store.reading(conn, () -> pages.countMoved(conn, eventType));
    }

    /** Dead events in both tables are one to whoever keeps house. */
    private final class Housekeeping extends JdbcHousekeeping {

        Housekeeping(ConnectionProvider provider, EventPurger purger) {
            super(store, provider, purger);
        }

        @Override
        public Page<OutboxEvent> queryDead(DeadQuery query) {
            return connections.with(conn -> dead(conn, query));
        }

        @Override
        public int replayDead(Collection<String> eventIds) {
            return connections.with(conn -> replay(conn, eventIds));
        }

        @Override
        public int countDead(String eventType) {
            return connections.with(conn -> DeadLetterStore.this.countDead(conn, eventType));
        }

        @Override
        public List<InspectedEvent> lookUp(Collection<String> eventIds) {
            return connections.readingFromPrimary(conn -> new EventStates(store, conn).of(eventIds, tableName));
        }

        @Override
        public Optional<DeadEventBackend> deadEvents() {
            return Optional.of(new JdbcDeadLetters(provider, DeadLetterStore.this));
        }
    }
}
