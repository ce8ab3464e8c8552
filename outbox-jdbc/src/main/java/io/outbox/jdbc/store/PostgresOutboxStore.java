package io.outbox.jdbc.store;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.FreshPlan;
import io.outbox.jdbc.internal.OpenTransaction;
import io.outbox.jdbc.internal.PoolerProbe;
import io.outbox.jdbc.internal.PostgresTableRules;
import io.outbox.jdbc.internal.ReadCommitted;
import io.outbox.jdbc.internal.SqlText;
import io.outbox.jdbc.internal.TableRules;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.PageLimit.Sized;
import io.outbox.jdbc.wakeup.PostgresWakeUp;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Insertion;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.NewEvent;
import io.outbox.spi.WakeUp;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;

/** The store for PostgreSQL: partial indexes, and a claim in one statement that passes over locked rows. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

    /**
     * Has the transaction of a claim commit without waiting for the disk. A claim that is lost with a crash of the
     * database leaves its events free, which is where they would be without it; what follows it, as an outcome, is lost
     * or kept with it, and in this order.
     */
    private static final String UNHURRIED = ", (SELECT set_config('synchronous_commit', 'off', true)) AS commits";

    /** The first events of a single part of the table, which one index serves: found and locked at once. */
    private static final String FIRST = """
            SELECT event_id, locked_by AS former_owner, {bytes} AS bytes
            FROM {table} WHERE {partition} AND {due} AND {free}
            ORDER BY {order} LIMIT {page_size}""";

    /** The candidates of several parts, which cannot be locked while they are merged. */
    private static final String CANDIDATES = """
            SELECT event_id, locked_by AS former_owner, {bytes} AS bytes FROM {table}
            WHERE event_id = ANY(?) AND {unfinished} AND available_at <= ? AND {free}""";

    /**
     * Takes the events by an array of ids: its size is unknown to the planner, which takes it for small and looks the
     * rows up by their key, whereas a join might read the whole table.
     */
    private static final String CLAIM = """
            WITH due AS (
              {events}
              FOR UPDATE SKIP LOCKED),
            page AS ({page})
            UPDATE {table} SET locked_by = ?, locked_at = {lock_time}
            WHERE event_id = ANY(ARRAY(SELECT event_id FROM page))
            RETURNING {columns}, last_error,
              (SELECT count(*) FROM page
                WHERE former_owner <> ? AND NOT starts_with(former_owner, ?)) AS taken_over,
              (SELECT sum(bytes) FROM page) AS bytes{commit}""";

    /**
     * The rows of another query up to the one that reaches so many bytes. The database stops there itself, since its
     * driver reads all rows that there are; lengths are known without reading what is long. Rows come in the order of
     * the other query, so the sum needs none of its own, which would be a sort.
     */
    private static final String PAGE = """
            SELECT * FROM (
              SELECT rows.*, sum(bytes) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
              FROM {rows} rows) summed
            WHERE before IS NULL OR before < ?""";

    /** Until the end of the transaction. Keys of different tables have different locks. */
    private static final String LOCK_KEYS =
            "SELECT pg_advisory_xact_lock(hashtextextended(? || ' ' || key, 0)) IS NULL FROM unnest(?) AS wanted (key)";

    /** Fails in a transaction that is aborted. */
    private static final String ANY_QUERY = "SELECT 1";

    /**
     * As long as another claim of the same rows takes, and far shorter than the time after which a node is taken for
     * dead.
     */
    private static final String BRIEFLY = "100ms";

    /** Has a statement wait for a lock briefly; only for its own transaction, and evaluated before the first row. */
    private static final String WAIT_BRIEFLY =
            "(SELECT set_config('lock_timeout', '" + BRIEFLY + "', true)) IS NOT NULL AND ";

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final DocumentTypes documentTypes = new DocumentTypes();
    private final MissingStatistics statistics = new MissingStatistics(tableName());

    public PostgresOutboxStore() {}

    public PostgresOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:postgresql:", "jdbc:pgsql:");
    }

    @Override
    public PostgresOutboxStore withTable(String tableName) {
        return new PostgresOutboxStore(tableName);
    }

    @Override
    public WakeUp wakeUp(DataSource dataSource, DataSource listenOn) {
        return PostgresWakeUp.of(dataSource, tableName(), listenOn);
    }

    /**
     * {@inheritDoc} A number that the planner does not know has it prepare for a part of the rows, and so read them in
     * their order. Of a table without statistics, or with those of a quiet time, it expects fewer rows than the number,
     * and would read and sort all there are.
     */
    @Override
    String limit(String count) {
        return "(SELECT " + count + "::int)";
    }

    @Override
    void checkConnections(ConnectionProvider connections) {
        PoolerProbe.run(connections);
    }

    @Override
    public EventPurger purger() {
        return new PostgresEventPurger(tableName());
    }

    @Override
    public EventPurger ageBasedPurger() {
        return new PostgresAgeBasedPurger(tableName());
    }

    @Override
    List<DatabaseFigures.Question> figures() {
        return DatabaseFigures.POSTGRESQL;
    }

    @Override
    protected Optional<String> readOnlyQuery() {
        return Optional.of("SELECT pg_is_in_recovery()");
    }

    @Override
    protected String utcNow() {
        return "(clock_timestamp() AT TIME ZONE 'UTC')";
    }

    @Override
    protected void tune(PreparedStatement statement) throws SQLException {
        FreshPlan.request(statement);
    }

    /** By its usual name, for drivers that are told to leave out the details of errors. */
    @Override
    boolean isKeyOfEvents(String message) {
        return message.contains("_pkey");
    }

    @Override
    public InsertMissing insertMissing() {
        return InsertMissing.ON_CONFLICT;
    }

    @Override
    Optional<TableRules> tableRules() {
        return Optional.of(new PostgresTableRules());
    }

    @Override
    RowChange.Waiting waiting() {
        return RowChange.Waiting.BRIEFLY;
    }

    @Override
    String waitingBriefly(Connection conn) {
        return Repetition.isOwn(conn) ? WAIT_BRIEFLY : "";
    }

    @Override
    void waitBrieflyInTransaction(Connection conn) {
        JdbcTemplate.update(conn, "SET LOCAL lock_timeout = '" + BRIEFLY + "'");
    }

    @Override
    boolean isLockedByOthers(OutboxStoreException e) {
        return e.getCause() instanceof SQLException cause && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
    }

    @Override
    protected void beginRepetition(Connection conn) {
        ReadCommitted.forThisTransaction(conn);
    }

    @Override
    boolean takesArrays() {
        return true;
    }

    @Override
    public Insertion insert(Connection conn, List<NewEvent> events) {
        return inTransaction(conn, () -> new PostgresInserts(this, conn).insert(events));
    }

    /** A statement that fails aborts the transaction, and the driver reports its commit as a success all the same. */
    @Override
    public boolean isIntact(Connection conn) {
        return OpenTransaction.isOn(conn)
                .orElseGet(
                        () -> !statements().query(conn, ANY_QUERY, row -> true).isEmpty());
    }

    @Override
    protected List<Partition> pendingPartitions(EventTypes types) {
        return List.of(new Partition(
                List.of(NEW, RETRY),
                isKeyed() ? "order_key IS NULL" : "",
                isOneType(types) ? "event_type, " + DUE_ORDER : DUE_ORDER,
                ""));
    }

    @Override
    List<Partition> keyedPartitions() {
        return List.of(new Partition(List.of(NEW, RETRY), "order_key IS NOT NULL", "order_key, order_seq", ""));
    }

    /** The index has unfinished events only, so it needs no column of its own for their keys. */
    @Override
    String keyColumn() {
        return "order_key";
    }

    @Override
    String keyedCondition() {
        return "order_key IS NOT NULL";
    }

    @Override
    KeyedReads keyedReads(Connection conn) {
        return new PostgresKeyedReads(this, conn);
    }

    @Override
    KeyedPage claimKeyed(Connection conn, KeyedRequest request, ForeignLocks foreignLocks) {
        return new PostgresKeyedClaim(this, conn, foreignLocks).run(request);
    }

    /** A session that takes several numbers at a time uses them later than another one its higher ones. */
    @Override
    Optional<Finding> unorderedNumbers(Connection conn) {
        List<String> cached = JdbcTemplate.query(
                conn,
                "SELECT seqrelid::regclass::text FROM pg_sequence"
                        + " WHERE seqcache > 1 AND seqrelid = pg_get_serial_sequence(?, 'order_seq')::regclass",
                row -> row.getString(1),
                tableName());
        return cached.stream()
                .findFirst()
                .map(sequence -> Finding.error(
                        "the sequence " + sequence + " of order_seq has a cache: sessions use its numbers in no order",
                        "ALTER SEQUENCE " + sequence + " CACHE 1"));
    }

    @Override
    String unhurried() {
        return UNHURRIED;
    }

    /** They have advisory locks. */
    @Override
    boolean hasLockTable() {
        return false;
    }

    @Override
    public void lockKeys(Connection conn, Collection<String> keys) {
        statements().query(conn, LOCK_KEYS, row -> true, tableName(), keys.toArray(String[]::new));
    }

    @Override
    protected List<Partition> deadPartitions() {
        return List.of(new Partition(List.of(DEAD), "created_at, event_id"));
    }

    @Override
    protected String lengthOf(String column) {
        return "octet_length(" + textOf(column) + ")";
    }

    /** Of a column of text, it is the column itself. */
    @Override
    String textOf(String column) {
        return column + "::text";
    }

    /** Leaves it to the database which type a text has, so that it also fits into columns for JSON. */
    @Override
    JdbcTemplate.Statements inserts() {
        return JdbcTemplate.tuned(
                statement -> {}, (statement, place, text) -> statement.setObject(place, text, Types.OTHER));
    }

    DocumentTypes documentTypes() {
        return documentTypes;
    }

    @Override
    List<Sized<DueEvent>> readDue(
            Connection conn,
            String sql,
            List<Object> params,
            PageLimit limit,
            JdbcTemplate.RowMapper<DueEvent> mapper) {
        List<Object> withBytes = new ArrayList<>(params);
        withBytes.add(limit.bytes());
        String page = PAGE.replace("{rows}", "(" + sql + ")").strip();
        long began = System.nanoTime();
        List<Sized<DueEvent>> rows =
                statements().query(conn, page, row -> Sized.of(mapper.map(row), row), withBytes.toArray());
        statistics.pageRead(conn, System.nanoTime() - began);
        return rows;
    }

    @Override
    protected boolean hasLateralJoins() {
        return true;
    }

    @Override
    <T> List<T> readAll(Connection conn, List<Select> selects, JdbcTemplate.RowMapper<T> mapper) {
        return super.readAll(conn, List.of(Select.union(selects)), mapper);
    }

    @Override
    DueCondition due(DueRange range) {
        return isOneType(range.types()) && isIndexedByType() ? range.conditionByPairs() : range.condition();
    }

    /** Reads the events of a claim, and what its first row tells of all of them. */
    private final class Taken implements JdbcTemplate.RowMapper<DueEvent> {

        private boolean begun;
        private int takenOver;
        private long bytes;

        @Override
        public DueEvent map(ResultSet row) throws SQLException {
            if (!begun) {
                begun = true;
                takenOver = row.getInt("taken_over");
                bytes = row.getLong("bytes");
            }
            return mapDueEvent(row);
        }
    }

    @Override
    ClaimedPage claim(Connection conn, Claim claim) {
        long began = System.nanoTime();
        ClaimedPage page = parts(claim.range()).size() == 1 ? claimFirst(conn, claim) : claimCandidates(conn, claim);
        statistics.pageRead(conn, System.nanoTime() - began);
        return page;
    }

    private ClaimedPage claimFirst(Connection conn, Claim claim) {
        Partition pending = pendingPartitions(claim.range().types()).get(0);
        DueCondition due = due(claim.range());
        List<Object> params = new ArrayList<>(due.params());
        params.addAll(claim.free().params());
        params.add(claim.limit().count());
        params.add(claim.limit().bytes());
        Taken taken = new Taken();
        List<DueEvent> claimed = claim(
                conn,
                claim,
                taken,
                pending.fill(sql(CLAIM).with("events", sql(FIRST).text()).with("page", PAGE))
                        .with("rows", "due")
                        .with("due", due.sql()),
                params);
        boolean isFull = claimed.size() >= claim.limit().count()
                || taken.bytes >= claim.limit().bytes();
        return page(claimed, taken, isFull ? DueCursor.last(claimed) : null);
    }

    /** Claims what was found before; what another claim is taking at the same time is left to it. */
    private ClaimedPage claimCandidates(Connection conn, Claim claim) {
        Candidates candidates = reading(conn, () -> Candidates.readFree(this, conn, claim));
        if (candidates.first().isEmpty()) {
            return ClaimedPage.EMPTY;
        }
        List<Object> params = new ArrayList<>();
        params.add(candidates.ids().toArray(String[]::new));
        params.add(claim.range().dueUntil());
        params.addAll(claim.free().params());
        Taken taken = new Taken();
        List<DueEvent> claimed = claim(
                conn,
                claim,
                taken,
                sql(CLAIM).with("events", sql(CANDIDATES).text()).with("page", "SELECT * FROM due"),
                params);
        return page(claimed, taken, candidates.next());
    }

    private List<DueEvent> claim(Connection conn, Claim claim, Taken taken, Sql statement, List<Object> eventParams) {
        String sql = statement
                .with("free", claim.free().condition())
                .with("lock_time", claim.lockTime().sql())
                .with("commit", Repetition.isOwn(conn) ? UNHURRIED : "")
                .toString();
        List<Object> params = new ArrayList<>(eventParams);
        params.add(claim.lease().holder());
        params.addAll(claim.lockTime().params());
        params.add(claim.lease().ownerId());
        params.add(claim.lease().holderPrefix());
        return repeating(conn, () -> statements().query(conn, sql, taken, params.toArray()));
    }

    private static ClaimedPage page(List<DueEvent> claimed, Taken taken, DueCursor next) {
        return new ClaimedPage(DuePages.inOrderOfCreation(claimed), taken.takenOver, next);
    }

    /**
     * Reads columns by their place and times by their text, which a JVM that has just been started does much faster.
     */
    @Override
    protected OutboxEvent mapRow(ResultSet row) throws SQLException {
        int first = row.findColumn("event_id");
        String created = row.getString(first + 8);
        Instant createdAt = instant(row, first + 8, created);
        String available = row.getString(first + 9);
        return new OutboxEvent(
                row.getString(first),
                row.getString(first + 1),
                row.getString(first + 2),
                row.getString(first + 3),
                row.getString(first + 4),
                row.getString(first + 5),
                row.getString(first + 6),
                row.getInt(first + 7),
                createdAt,
                Objects.equals(available, created) ? createdAt : instant(row, first + 9, available));
    }

    private static Instant instant(ResultSet row, int column, String text) throws SQLException {
        Instant read = text == null ? null : SqlText.instant(text);
        return read == null ? JdbcTemplate.instant(row, column) : read;
    }
}
