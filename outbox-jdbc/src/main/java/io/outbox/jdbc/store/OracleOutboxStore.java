package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.OracleTableRules;
import io.outbox.jdbc.internal.ReadCommitted;
import io.outbox.jdbc.internal.TableRules;
import io.outbox.jdbc.internal.oracle.OracleError;
import io.outbox.jdbc.purge.OracleAgeBasedPurger;
import io.outbox.jdbc.purge.OracleEventPurger;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The store for Oracle, in words that 19c and all later versions know. It was written from Oracle's documentation, and
 * its statements are judged by two parsers of Oracle's grammar; we have not run it on a server.
 *
 * <p>Oracle locks no rows of a query that is cut off after so many ({@code FETCH FIRST}), so candidates are read first
 * and locked by their key, as everywhere. To Oracle an empty text is no text: it is read back as {@code null}, but for
 * payloads.
 */
public final class OracleOutboxStore extends AbstractJdbcOutboxStore {

    private static final Pattern LIMIT = Pattern.compile("LIMIT ([^\\s)]+) OFFSET ([^\\s)]+)|LIMIT ([^\\s)]+)");

    /** For as long as an operator waits: Oracle itself sets no limit. */
    private static final String WAIT = " FOR UPDATE WAIT 10";

    /**
     * The driver's default is ten, each time a round trip. Of a large text it reads only the beginning before it is
     * asked.
     */
    private static final int ROWS_AT_A_TIME = 200;

    /** A longer text may take more than the 4000 bytes behind which Oracle wants it bound as a stream. */
    private static final int LONGEST_PLAIN_TEXT = 1000;

    public OracleOutboxStore() {}

    public OracleOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "oracle";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:oracle:");
    }

    @Override
    public OracleOutboxStore withTable(String tableName) {
        return new OracleOutboxStore(tableName);
    }

    @Override
    public EventPurger purger() {
        return new OracleEventPurger(tableName());
    }

    @Override
    public EventPurger ageBasedPurger() {
        return new OracleAgeBasedPurger(tableName());
    }

    @Override
    protected String utcNow() {
        return "SYS_EXTRACT_UTC(SYSTIMESTAMP)";
    }

    @Override
    public String fromNothing() {
        return " FROM DUAL";
    }

    @Override
    protected String inDialect(String template) {
        return LIMIT.matcher(template)
                .replaceAll(limit -> limit.group(3) == null
                        ? "OFFSET " + limit.group(2) + " ROWS FETCH NEXT " + limit.group(1) + " ROWS ONLY"
                        : "FETCH FIRST " + limit.group(3) + " ROWS ONLY");
    }

    @Override
    protected String textBefore(String mark, String column) {
        return "SUBSTR(" + column + ", 1, INSTR(CONCAT(" + column + ", '" + mark + "'), '" + mark + "'))";
    }

    @Override
    protected String lengthOf(String column) {
        return "LENGTH(" + column + ")";
    }

    @Override
    public InsertMissing insertMissing() {
        return InsertMissing.MERGE_EACH;
    }

    @Override
    Optional<TableRules> tableRules() {
        return Optional.of(new OracleTableRules());
    }

    @Override
    RowChange.Waiting waiting() {
        return RowChange.Waiting.NEVER;
    }

    @Override
    protected String waitLocking() {
        return WAIT;
    }

    /** Nothing is greater than the empty text that stands for the beginning. */
    @Override
    DueCondition between(String first, String second) {
        if (!first.isEmpty()) {
            return super.between(first, second);
        }
        return second == null
                ? new DueCondition("event_type IS NOT NULL", List.of())
                : new DueCondition("event_type < ?", List.of(second));
    }

    @Override
    protected void tune(PreparedStatement statement) throws SQLException {
        statement.setFetchSize(ROWS_AT_A_TIME);
    }

    /** Binds a long text as a stream: Oracle takes no other text that may be long behind one that is (ORA-24816). */
    @Override
    protected void bindText(PreparedStatement statement, int place, String text) throws SQLException {
        if (text == null || text.length() <= LONGEST_PLAIN_TEXT) {
            statement.setString(place, text);
        } else {
            statement.setCharacterStream(place, new StringReader(text), text.length());
        }
    }

    /** A serializable transaction would meet the same change again. */
    @Override
    protected void beginRepetition(Connection conn) {
        ReadCommitted.forThisTransaction(conn);
    }

    @Override
    protected boolean isDuplicate(SQLException e) {
        return OracleError.of(e).isDuplicateKey();
    }

    @Override
    protected OutboxEvent mapRow(ResultSet row) throws SQLException {
        return Rows.event(row, Objects.requireNonNullElse(row.getString("payload"), ""), row.getString("headers"));
    }
}
