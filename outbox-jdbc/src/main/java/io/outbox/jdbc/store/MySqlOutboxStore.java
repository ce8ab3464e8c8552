package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Finding;
import io.outbox.jdbc.internal.MySqlTableRules;
import io.outbox.jdbc.internal.ReadCommitted;
import io.outbox.jdbc.internal.TableRules;
import io.outbox.jdbc.purge.MySqlAgeBasedPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The store for MySQL 8.
 *
 * <p>Our own transactions run at READ COMMITTED: under MySQL's default, locking reads lock the gaps between pending
 * rows and block the application's inserts. For the same reason rows are locked by their primary key only: along
 * another index, InnoDB locks what it passes.
 */
public class MySqlOutboxStore extends AbstractJdbcOutboxStore {

    private static final int DUPLICATE_ENTRY = 1062;
    private static final Pattern PRIMARY_KEY = Pattern.compile(".*['.]PRIMARY'[^']*", Pattern.DOTALL);
    private static final int ROWS_PER_INSERT = 500;

    private static final String UNKEYED = "idx_unkeyed";
    private static final String UNKEYED_BY_TYPE = "idx_unkeyed_type";

    public MySqlOutboxStore() {}

    public MySqlOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "mysql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mysql:");
    }

    @Override
    public MySqlOutboxStore withTable(String tableName) {
        return new MySqlOutboxStore(tableName);
    }

    @Override
    public EventPurger purger() {
        return new MySqlEventPurger(tableName());
    }

    @Override
    public EventPurger ageBasedPurger() {
        return new MySqlAgeBasedPurger(tableName());
    }

    @Override
    List<DatabaseFigures.Question> figures() {
        return DatabaseFigures.MYSQL;
    }

    /** Readers of Aurora have only the second variable set. */
    @Override
    protected Optional<String> readOnlyQuery() {
        return Optional.of("SELECT @@global.read_only OR @@global.innodb_read_only");
    }

    @Override
    public boolean isSchemaCatalog() {
        return true;
    }

    @Override
    protected String utcNow() {
        return "UTC_TIMESTAMP(6)";
    }

    /** Looks events up by their key even in a small table, where a scan would run into rows of other transactions. */
    @Override
    protected String tableById() {
        return tableName() + " FORCE INDEX (PRIMARY)";
    }

    /** A DELETE takes the same hint in its form for several tables, which are one here. */
    @Override
    protected String deleteById() {
        return "DELETE " + tableName() + " FROM " + tableById();
    }

    /**
     * Names the index, or MySQL takes another of the same length and sorts; a table without it is read all the same.
     */
    @Override
    protected List<Partition> deadPartitions() {
        String table = tableName().substring(tableName().indexOf('.') + 1);
        return List.of(
                new Partition(
                        List.of(EventStatus.DEAD),
                        "done_at IS NULL",
                        "created_at, event_id",
                        "/*+ " + indexHint(table, "idx_status_done") + " */ "),
                DEAD_WITH_END);
    }

    /**
     * MySQL takes the shorter index of all events, and walks over those that keep their order. So does MariaDB, which
     * does not read hints in comments.
     */
    @Override
    String unkeyedIndex(boolean isOneType) {
        return " FORCE INDEX (" + (isOneType ? UNKEYED_BY_TYPE : UNKEYED) + ")";
    }

    @Override
    Set<String> unkeyedIndexes() {
        return Set.of(UNKEYED, UNKEYED_BY_TYPE);
    }

    /** Returns the hint for the planner to take an index. */
    String indexHint(String table, String index) {
        return "INDEX(" + table + " " + index + ")";
    }

    /** Without its own setting, the driver sends a batch row by row. */
    @Override
    protected int rowsPerInsert() {
        return ROWS_PER_INSERT;
    }

    @Override
    protected String lengthOf(String column) {
        return "LENGTH(" + column + ")";
    }

    /** By the one number by which MySQL's driver does not read all rows into memory first. */
    @Override
    protected void streamRows(PreparedStatement statement) throws SQLException {
        statement.setFetchSize(Integer.MIN_VALUE);
    }

    @Override
    public InsertMissing insertMissing() {
        return InsertMissing.ON_DUPLICATE_KEY;
    }

    @Override
    Optional<TableRules> tableRules() {
        return Optional.of(new MySqlTableRules());
    }

    @Override
    RowChange.Waiting waiting() {
        return RowChange.Waiting.NEVER;
    }

    @Override
    protected void beforeTransaction(Connection conn) {
        ReadCommitted.forNextTransaction(conn);
    }

    /** The last name in quotes is that of the key, behind the table's in later versions. */
    @Override
    protected boolean isDuplicate(SQLException e) {
        return e.getErrorCode() == DUPLICATE_ENTRY
                && PRIMARY_KEY.matcher(String.valueOf(e.getMessage())).matches();
    }

    /** Servers that number by steps are several primaries, and each is ahead of the others at times. */
    @Override
    Optional<Finding> unorderedNumbers(Connection conn) {
        boolean isStepped = JdbcTemplate.query(conn, "SELECT @@auto_increment_increment", row -> row.getInt(1) > 1)
                .get(0);
        return isStepped
                ? Optional.of(Finding.error(
                        "auto_increment_increment is above 1, as for several primaries, whose values of order_seq are in no order",
                        "SET GLOBAL auto_increment_increment = 1"))
                : Optional.empty();
    }
}
