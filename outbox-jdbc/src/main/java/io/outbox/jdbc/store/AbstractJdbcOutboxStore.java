package io.outbox.jdbc.store;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.KeyColumnCheck;
import io.outbox.jdbc.internal.LaneIndex;
import io.outbox.jdbc.internal.SchemaScript;
import io.outbox.jdbc.internal.TableCatalog;
import io.outbox.jdbc.internal.TableRules;
import io.outbox.jdbc.purge.AbstractJdbcEventPurger;
import io.outbox.jdbc.store.PageLimit.Sized;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.EventTypes;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Insertion;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.WakeUp;
import io.outbox.store.Connections;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A store in a relational database. It answers for everything that is particular to that database; four methods are
 * enough for another one, and the rest have answers that work anywhere. Immutable and thread-safe.
 *
 * <p>Statuses are literals in the SQL, so that partial indexes apply. Due events are read in the order of (available
 * at, created at, event id), which an index serves, and returned in order of creation. Statements that belong together
 * run in one transaction: the caller's if there is one, else one of their own. What the database gives up in favour of
 * others, as a deadlock, is repeated unless it was in a transaction of the caller's.
 */
public abstract class AbstractJdbcOutboxStore implements OwnershipStore {

    /** The columns of an {@link OutboxEvent}. */
    protected static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload,"
            + " headers, attempts, created_at, available_at";

    /** The order in which pages of due events follow each other. */
    protected static final String DUE_ORDER = "available_at, created_at, event_id";

    /** Earlier than any time in a row; databases do not go back further. */
    static final Instant BEFORE_ALL = Instant.parse("1000-01-01T00:00:00Z");

    /** The DEAD events with an end time, of which there are none but those that other programs wrote. */
    protected static final Partition DEAD_WITH_END =
            new Partition(List.of(DEAD), "done_at >= TIMESTAMP '1000-01-01 00:00:00'", "created_at, event_id", "");

    /**
     * The guard of statements that name events by id. Worded differently from the condition of the index for pending
     * events on purpose: otherwise a planner may read that whole index rather than look the ids up.
     */
    private static final String UNFINISHED = "status <> 1 AND status <> 3";

    private static final String STORED = "SELECT event_id FROM {by_id} WHERE event_id {among}";
    private static final String TIME = "SELECT {now} AS utc{from_nothing}";
    private static final String DUPLICATE_KEY = "23505";
    /**
     * H2 names a violated key as {@code … ON PUBLIC.OUTBOX_EVENT(EVENT_ID) …}, JdbcTemplate one of PostgreSQL's alike.
     */
    private static final Pattern KEY_COLUMNS = Pattern.compile(" on [^(]*\\(([^)]*)\\)", Pattern.CASE_INSENSITIVE);

    private static final Pattern EVENT_ID = Pattern.compile("\\bevent_id\\b", Pattern.CASE_INSENSITIVE);

    private final String tableName;
    private final Map<String, Sql> filled = new ConcurrentHashMap<>();
    /** Whether the table has an index by type; {@code null} before anybody asked. */
    private volatile Boolean indexedByType;
    /** Whether events of one key keep their order. */
    private volatile boolean keyed;

    private final StaleConnections staleOfWriters = new StaleConnections(System::nanoTime);

    protected AbstractJdbcOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    protected AbstractJdbcOutboxStore(String tableName) {
        this.tableName = TableNames.validate(tableName);
    }

    /** Returns the table this store works on. */
    public final String tableName() {
        return tableName;
    }

    // What every database answers

    /** Returns the short name of the database, as in {@code postgresql}. */
    public abstract String name();

    /** Returns how JDBC URLs of this database begin. */
    public abstract List<String> jdbcUrlPrefixes();

    // What a database may answer better; parts of statements are asked for once and kept

    /** Returns the same kind of store for another table. Default: none but its own. */
    public AbstractJdbcOutboxStore withTable(String tableName) {
        if (tableName.equals(this.tableName)) {
            return this;
        }
        throw new UnsupportedOperationException(
                getClass().getName() + " has to override withTable(String) to be used for the table " + tableName);
    }

    /**
     * Returns the SQL expression for the current time in UTC, as a timestamp without time zone. Default: that of the
     * SQL standard. A database whose CAST goes to the zone of the session has to say it in another way.
     */
    protected String utcNow() {
        return "CAST(CURRENT_TIMESTAMP(6) AT TIME ZONE 'UTC' AS TIMESTAMP(6))";
    }

    /**
     * Returns a statement of ours, which says LIMIT, in the words of the database. Asked for once for each statement.
     */
    protected String inDialect(String template) {
        return template;
    }

    /** Returns what a SELECT without a table has behind its columns. Default: nothing. */
    public String fromNothing() {
        return "";
    }

    /** Returns the expression for the part of a text up to the beginning of a mark, or all of it without one. */
    protected String textBefore(String mark, String column) {
        return "SUBSTRING(" + column + ", 1, POSITION('" + mark + "' IN CONCAT(" + column + ", '" + mark + "')))";
    }

    /** Returns the purger of finished events. */
    public EventPurger purger() {
        return AbstractJdbcEventPurger.portable(tableName);
    }

    /** Returns the purger that deletes events by their age, delivered or not, for writer-only use. */
    public EventPurger ageBasedPurger() {
        return AbstractJdbcEventPurger.portableByAge(tableName);
    }

    /**
     * Returns how outboxes on this table tell each other of events.
     *
     * @param listenOn where hints are heard, which keeps a connection; the same as the other, or a direct way to its
     * database
     */
    public WakeUp wakeUp(DataSource dataSource, DataSource listenOn) {
        return WakeUp.NONE;
    }

    /**
     * Returns a query that tells whether the server only reads, as a replica does and a former primary after a
     * fail-over. Default: none, for a database without replicas.
     */
    protected Optional<String> readOnlyQuery() {
        return Optional.empty();
    }

    /** Returns what this database can tell about itself. */
    List<DatabaseFigures.Question> figures() {
        return List.of();
    }

    /**
     * Returns the name of the DDL: {@code schema/<name>.sql} in the resources of the jar that has the store's class.
     */
    public String schemaScript() {
        return name();
    }

    /** Returns a table of the outbox in this database, which may be qualified by its schema. */
    public final ManagedTable table(ManagedTable.Description description, String tableName) {
        return new ManagedTable(this, description, TableNames.validate(tableName));
    }

    /** Checks what is between this JVM and the database; throws with what to set if statements would fail. */
    void checkConnections(ConnectionProvider connections) {}

    /** Returns the rules by which tables are checked; without them only the names of their columns are. */
    Optional<TableRules> tableRules() {
        return Optional.empty();
    }

    /** Returns how rows are inserted that may be there. Default: one by one. */
    public InsertMissing insertMissing() {
        return InsertMissing.ONE_BY_ONE;
    }

    /** Returns whether what qualifies a table is a catalog to the driver and not a schema. */
    public boolean isSchemaCatalog() {
        return false;
    }

    /** Returns the parts that together hold all pending events, in due order. */
    protected List<Partition> pendingPartitions(EventTypes types) {
        String unkeyed = keyed ? "keyed, " : "";
        String order =
                isOneType(types) ? "status, event_type, " + unkeyed + DUE_ORDER : "status, " + unkeyed + DUE_ORDER;
        String restriction = keyed ? "keyed = 0" : "";
        String index = keyed ? unkeyedIndex(isOneType(types)) : "";
        return List.of(
                new Partition(List.of(NEW), restriction, order, "", index),
                new Partition(List.of(RETRY), restriction, order, "", index));
    }

    /**
     * Returns what a planner needs to be told to take the index of events without order, and not that of all events.
     */
    String unkeyedIndex(boolean isOneType) {
        return "";
    }

    /** Returns the names of those indexes. */
    Set<String> unkeyedIndexes() {
        return Set.of();
    }

    private static Partition pending(EventStatus state, String restriction, String order) {
        return new Partition(List.of(state), restriction, order, "");
    }

    /** Returns the parts that together hold all pending events that keep their order. */
    List<Partition> keyedPartitions() {
        String order = "status, keyed, " + DUE_ORDER;
        return List.of(pending(NEW, "keyed = 1", order), pending(RETRY, "keyed = 1", order));
    }

    /** Returns the parts that together hold all pending events, whether they keep their order or not. */
    final List<Partition> openPartitions() {
        List<Partition> all = new ArrayList<>(pendingPartitions(EventTypes.ALL));
        if (keyed) {
            all.addAll(keyedPartitions());
        }
        return all;
    }

    /** Returns whether events of one key keep their order. */
    protected final boolean isKeyed() {
        return keyed;
    }

    /** Returns whether the database can keep the order of keys. Default: if there is a script for it. */
    boolean canBeKeyed() {
        return keyColumns().canBeCreated();
    }

    /** Returns the columns for order by key. */
    public final KeyColumns keyColumns() {
        SchemaScript script = new SchemaScript(getClass(), schemaScript(), tableName);
        TableCatalog locks = new TableCatalog(new KeyLocks(this).tableName(), isSchemaCatalog());
        return new KeyColumns(
                new KeyColumnCheck(new TableCatalog(tableName, isSchemaCatalog()), script, tableRules()),
                keyColumn(),
                unkeyedIndexes(),
                hasLockTable() ? new LockTable(locks, script) : null,
                this::unorderedNumbers);
    }

    /**
     * Returns why numbers of events are not in the order of their inserts. Default: nothing; numbers are given one by
     * one.
     */
    Optional<Finding> unorderedNumbers(Connection conn) {
        return Optional.empty();
    }

    /** Returns the column with the key of unfinished events, in which an index finds the oldest of a key. */
    String keyColumn() {
        return "pending_key";
    }

    /** Returns the condition for events that keep their order. */
    String keyedCondition() {
        return "keyed = 1";
    }

    /** Returns the condition for keys behind another one, in the form for which the database reads nothing of that. */
    DueCondition keysAfter(String key) {
        return new DueCondition(keyColumn() + " > ?", List.of(key));
    }

    /** Reads the oldest unfinished events of keys, in the way that suits the database best. */
    KeyedReads keyedReads(Connection conn) {
        return new KeyedReads(this, conn);
    }

    /**
     * Has the events delivered once more that have failed for good and block their key, for an outbox that no longer
     * keeps the order of keys; returns how many there were.
     */
    public final int releaseParked(ConnectionProvider connections) {
        return new ParkedEvents(this).release(connections);
    }

    /** Claims the next events of keys. Default: in steps that any database understands. */
    KeyedPage claimKeyed(Connection conn, KeyedRequest request, ForeignLocks foreignLocks) {
        return new KeyedClaim(this, conn, foreignLocks).run(request);
    }

    /**
     * Returns what is added to the columns of the first statement of a claim, to have it commit without waiting for the
     * disk.
     */
    String unhurried() {
        return "";
    }

    /** Returns whether writers of a key can be made to wait for each other. Default: wherever keys keep their order. */
    boolean canLockKeys() {
        return canBeKeyed();
    }

    /** Returns whether they wait for each other in a table of its own. Default: they do. */
    boolean hasLockTable() {
        return true;
    }

    /** Returns whether the choice is of a single type, which an index by type serves. */
    protected static boolean isOneType(EventTypes types) {
        return !types.excluded() && types.names().size() == 1;
    }

    /**
     * Returns the rows of all these, in any order. Default: by one statement after the other, since not every planner
     * sees the LIMIT of a SELECT inside of another.
     */
    <T> List<T> readAll(Connection conn, List<Select> selects, JdbcTemplate.RowMapper<T> mapper) {
        List<T> rows = new ArrayList<>();
        selects.forEach(select -> rows.addAll(
                statements().query(conn, select.sql(), mapper, select.params().toArray())));
        return rows;
    }

    /** Returns the ranges to read by themselves: with an index by type, one for each type that is named. */
    final List<DueRange> parts(DueRange range) {
        return !range.types().excluded() && isIndexedByType() ? range.byType() : List.of(range);
    }

    /** Returns whether the table is known to have an index by type. */
    final boolean isIndexedByType() {
        return Boolean.TRUE.equals(indexedByType);
    }

    /**
     * Returns the condition for event types between two, in the form for which the database reads nothing of either;
     * the second is {@code null} at the end.
     */
    DueCondition between(String first, String second) {
        return second == null
                ? new DueCondition("event_type > ?", List.of(first))
                : new DueCondition("event_type > ? AND event_type < ?", List.of(first, second));
    }

    /** Returns the condition of a range in the form that suits the database best. */
    DueCondition due(DueRange range) {
        return range.condition();
    }

    /** Returns the parts that together hold all DEAD events, in order of creation. */
    protected List<Partition> deadPartitions() {
        return List.of(
                new Partition(List.of(DEAD), "done_at IS NULL", "status, done_at, created_at, event_id", ""),
                DEAD_WITH_END);
    }

    /** Returns whether the database joins LATERAL subqueries, in recursive queries and with arrays as well. */
    protected boolean hasLateralJoins() {
        return false;
    }

    /** Returns the table for statements that name events by id, with a hint for the planner if it needs one. */
    protected String tableById() {
        return tableName;
    }

    /** Returns the beginning of a DELETE that names events by id, up to its WHERE. */
    protected String deleteById() {
        return "DELETE FROM " + tableName;
    }

    /** Splits the ids of events for statements that name them, in the form that suits the database best. */
    final List<IdList> idLists(Collection<String> eventIds) {
        return takesArrays() ? IdList.arrays(eventIds) : IdList.chunks(eventIds);
    }

    /**
     * Returns which events a claim may take; none of the known ones that the claimant holds under the names of lost
     * claims.
     */
    final Claim.Free free(Instant lockExpiry, LostClaims lost) {
        return new Claim.Free(lockExpiry, lost, takesArrays()).times(1);
    }

    /** Returns whether the database takes many ids as a single parameter. */
    boolean takesArrays() {
        return false;
    }

    /**
     * Returns the expression for the length of a text, in characters or bytes, whichever the database knows without a
     * look at it.
     */
    protected String lengthOf(String column) {
        return "CHAR_LENGTH(" + column + ")";
    }

    /** Returns the expression for a column of documents as text, whatever its type. */
    String textOf(String column) {
        return column;
    }

    /** Returns what stands behind LIMIT in reads of pending events, which an index gives in their order. */
    String limit(String count) {
        return count;
    }

    /** Has a query hand over rows as they are read, so that those behind the last of a page are not in memory. */
    protected void streamRows(PreparedStatement statement) throws SQLException {}

    /** Has a statement given up after some seconds. */
    void giveUpAfter(int seconds, Statement statement) throws SQLException {
        statement.setQueryTimeout(seconds);
    }

    /** Runs a query for due events and reads them up to the end of a page. */
    List<Sized<DueEvent>> readDue(
            Connection conn,
            String sql,
            List<Object> params,
            PageLimit limit,
            JdbcTemplate.RowMapper<DueEvent> mapper) {
        JdbcTemplate.Tuning streaming = statement -> {
            tune(statement);
            streamRows(statement);
        };
        return JdbcTemplate.tuned(streaming, this::bindText)
                .queryUntil(conn, sql, row -> Sized.of(mapper.map(row), row), limit.last(), params.toArray());
    }

    /** Returns how a claim locks the rows that it is going to take. */
    protected String claimLocking() {
        return waiting() == RowChange.Waiting.NEVER ? " FOR UPDATE SKIP LOCKED" : " FOR UPDATE";
    }

    /** Returns how statements lock rows that an operator or an outcome changes, and wait for others. */
    protected String waitLocking() {
        return " FOR UPDATE";
    }

    /** Returns how many rows an INSERT takes at most. Default: one, in batches. */
    protected int rowsPerInsert() {
        return 1;
    }

    /** Returns how the database deals with rows that others have locked. */
    RowChange.Waiting waiting() {
        return RowChange.Waiting.UNBOUNDED;
    }

    /**
     * Returns a condition, followed by AND, that makes a statement of the outbox's own wait for locks briefly, or
     * nothing.
     */
    String waitingBriefly(Connection conn) {
        return "";
    }

    /**
     * Makes the statements of a transaction of the outbox's own wait for locks briefly, if the database can do that.
     */
    void waitBrieflyInTransaction(Connection conn) {}

    /** Returns whether a statement that waited briefly met a row that somebody else has locked. */
    boolean isLockedByOthers(OutboxStoreException e) {
        return false;
    }

    /** Sets what the database wants set on a statement, other than an INSERT, before it runs. */
    protected void tune(PreparedStatement statement) throws SQLException {}

    /** Binds a text, which may be long. */
    protected void bindText(PreparedStatement statement, int place, String text) throws SQLException {
        statement.setString(place, text);
    }

    /** Called on a connection in auto-commit mode before a statement or transaction of our own that locks rows. */
    protected void beforeTransaction(Connection conn) {}

    /**
     * Called at the beginning of a transaction of our own in which something is done again that the database gave up.
     */
    protected void beginRepetition(Connection conn) {}

    /**
     * Returns whether an INSERT failed because there is a row with the same event id, and not because of a unique index
     * of the application's own. Default: by the columns of the key, if the message names them.
     */
    protected boolean isDuplicate(SQLException e) {
        if (!DUPLICATE_KEY.equals(e.getSQLState())) {
            return false;
        }
        Matcher key = KEY_COLUMNS.matcher(String.valueOf(e.getMessage()));
        return key.find() ? EVENT_ID.matcher(key.group(1)).find() : isKeyOfEvents(e.getMessage());
    }

    /** Returns whether a message that names no columns is about the key of events. Default: it is. */
    boolean isKeyOfEvents(String message) {
        return true;
    }

    /** Reads a row leniently: what is damaged in it is found when the event is decoded, and harms only that event. */
    protected OutboxEvent mapRow(ResultSet row) throws SQLException {
        return Rows.event(row, row.getString("payload"), row.getString("headers"));
    }

    /** Returns when the lock of an event begins that is inserted with one. */
    LockTime lockTimeOfInsert() {
        return LockTime.ofDatabase(utcNow());
    }

    /** Claims in the way that suits the database best. */
    ClaimedPage claim(Connection conn, Claim claim) {
        return inTransaction(conn, () -> new ClaimInSteps(this, conn).run(claim));
    }

    // Writing

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insertBatch(conn, List.of(event));
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        insert(conn, events.stream().map(NewEvent::unowned).toList());
    }

    @Override
    public Insertion insert(Connection conn, List<NewEvent> events) {
        Set<String> locked = inTransaction(conn, () -> new Inserts(this, conn).insert(events));
        staleOfWriters.changed();
        return new Insertion(locked, true);
    }

    @Override
    public Optional<Runnable> afterFailedWrite(Connection conn, RuntimeException failure) {
        return staleOfWriters.afterFailedWrite(conn, failure);
    }

    @Override
    public void prepareKeys(ConnectionProvider connections) {
        if (connections != null) {
            new Connections(connections).with(this::requireKeyColumns);
        }
        keyed = true;
        filled.clear();
    }

    @Override
    public void lockKeys(Connection conn, Collection<String> keys) {
        new KeyLocks(this).lock(conn, keys);
    }

    private boolean requireKeyColumns(Connection conn) {
        try {
            keyColumns().require(conn);
            return true;
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot read the columns of " + tableName + ": " + e.getMessage(), e);
        }
    }

    /** Every insert is revocable, so there is nothing else to ask for. */
    @Override
    public boolean isIntact(Connection conn) {
        return true;
    }

    @Override
    public Set<String> stored(Connection conn, Collection<String> eventIds) {
        return new HashSet<>(sql(STORED).queryAmong(conn, idLists(eventIds), Sql.EVENT_ID));
    }

    // Delivering

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return events(reading(
                        conn,
                        () -> new DuePages(this, conn)
                                .read(DueRange.first(now, skipRecent), PageLimit.ofCount(limit), this::mapDueEvent))
                .items());
    }

    /** Claims as the specification has it; delivery does it by {@link #delivery}. */
    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        Claim claim = new Claim(
                new Lease(ownerId, Lease.DEFAULT_DURATION),
                DueRange.first(now, skipRecent),
                free(lockExpiry, LostClaims.NONE),
                LockTime.of(now),
                PageLimit.ofCount(limit));
        return events(claim(conn, claim).events());
    }

    private static List<OutboxEvent> events(List<DueEvent> due) {
        return due.stream().map(DueEvent::event).toList();
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return new SingleUpdates(this, conn).done(eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return new SingleUpdates(this, conn).retry(eventId, nextAt, error);
    }

    @Override
    public int markDeferred(Connection conn, String eventId, Instant nextAt) {
        return new SingleUpdates(this, conn).deferred(eventId, nextAt);
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return new SingleUpdates(this, conn).dead(eventId, error);
    }

    @Override
    public DeliveryBackend delivery(ConnectionProvider connections) {
        return new JdbcDelivery(this, connections);
    }

    /** Returns the database's current time. */
    public final Instant currentTime(Connection conn) {
        return reading(conn, () -> sql(TIME).one(conn, row -> JdbcTemplate.instant(row, "utc")));
    }

    /** Looks for the index by type, unless that was done before. */
    final boolean findIndexByType(Connection conn) {
        if (indexedByType == null) {
            indexedByType = askIndexes(index -> index.isPresent(conn));
        }
        return indexedByType;
    }

    /** Looks for the index by type, and says how to create it if there is none. */
    final boolean requireIndexByType(Connection conn) {
        indexedByType = askIndexes(index -> index.isPresentOrWarn(conn));
        return indexedByType;
    }

    private boolean askIndexes(IndexQuestion question) {
        try {
            return question.ask(LaneIndex.of(getClass(), schemaScript(), tableName, isSchemaCatalog()));
        } catch (SQLException e) {
            throw new OutboxStoreException("Cannot read the indexes of " + tableName + ": " + e.getMessage(), e);
        }
    }

    /** What can be asked of the index by type. */
    private interface IndexQuestion {
        boolean ask(LaneIndex index) throws SQLException;
    }

    // Keeping house

    @Override
    public List<OutboxEvent> queryDead(Connection conn, String eventType, String aggregateType, int limit) {
        return reading(conn, () -> new DeadRows(this, conn).read(eventType, aggregateType, DeadCursor.START, limit))
                .items();
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return new DeadRows(this, conn).replay(List.of(eventId));
    }

    @Override
    public int countDead(Connection conn, String eventType) {
        return reading(conn, () -> new DeadRows(this, conn).count(eventType));
    }

    @Override
    public HousekeepingBackend housekeeping(ConnectionProvider connections, EventPurger purger) {
        return new JdbcHousekeeping(this, connections, purger);
    }

    // Running statements

    /** Returns the SQL expression for the database's current time in UTC. */
    public final String currentTimeSql() {
        return utcNow();
    }

    /**
     * Returns the expression for the exception and its causes, without the stack trace and the attempts behind them.
     */
    final String failureSql() {
        return textBefore(FailureText.BEFORE_DETAILS, "last_error");
    }

    /** Returns whether an INSERT failed because there is a row with the same key. */
    public final boolean isDuplicate(OutboxStoreException e) {
        return e.getCause() instanceof SQLException cause && isDuplicate(cause);
    }

    /** Returns what runs statements of this database. */
    public final JdbcTemplate.Statements statements() {
        return JdbcTemplate.tuned(this::tune, this::bindText);
    }

    /** Returns what runs an INSERT, which leaves a planner nothing to choose and is not tuned. */
    JdbcTemplate.Statements inserts() {
        return JdbcTemplate.tuned(statement -> {}, this::bindText);
    }

    /** Runs the work in the caller's transaction, or else in one of its own, again after a deadlock. */
    protected final <T> T inTransaction(Connection conn, Supplier<T> work) {
        return repetition().runInTransaction(conn, work);
    }

    /** Runs a statement that locks rows, again after a deadlock unless that has ended a transaction of the caller's. */
    public final <T> T repeating(Connection conn, Supplier<T> work) {
        return repetition().run(conn, work);
    }

    /** Runs a statement that locks nothing, again if the database gave it up. */
    protected final <T> T reading(Connection conn, Supplier<T> work) {
        return repetition().read(conn, work);
    }

    private Repetition repetition() {
        return new Repetition(this::beforeTransaction, this::beginRepetition);
    }

    /**
     * Fills the gaps of a statement that are the same for all events. That is done once: writers would pay for it with
     * every event. So a template is a constant, and what differs from call to call is a gap that is filled afterwards.
     */
    final Sql sql(String template) {
        Sql known = filled.get(template);
        return known == null ? filled.computeIfAbsent(template, this::fill) : known;
    }

    private Sql fill(String template) {
        return new Sql(inDialect(template), statements())
                .with("table", tableName)
                .with("by_id", tableById())
                .with("delete_by_id", deleteById())
                .with("from_nothing", fromNothing())
                .with("wait", waitLocking())
                .with("claim", claimLocking())
                .with("now", utcNow())
                .with("now_of_insert", lockTimeOfInsert().sql())
                .with("columns", COLUMNS)
                .with("bytes", lengthOf("payload") + " + COALESCE(" + lengthOf("headers") + ", 0)")
                .with("key", keyColumn())
                .with("page_size", limit("?"))
                .with("unfinished", UNFINISHED);
    }

    final DueEvent mapDueEvent(ResultSet row) throws SQLException {
        return new DueEvent(mapRow(row), row.getString("last_error"));
    }
}
