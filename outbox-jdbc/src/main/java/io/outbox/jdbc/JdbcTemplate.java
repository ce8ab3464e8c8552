package io.outbox.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs statements with bound parameters on a connection that the caller manages. An {@link Instant} is bound as a UTC
 * timestamp with microseconds, whatever the time zones of JVM and session, and a {@code String[]} as an SQL array.
 * Failures are {@link OutboxStoreException}s that name the operation, never its parameters.
 */
public final class JdbcTemplate {

    private static final Statements PLAIN = tuned(statement -> {});

    /** The columns of a key and the beginning of their values, in every language that PostgreSQL's errors come in. */
    private static final Pattern KEY = Pattern.compile("\\((.*?)\\)=\\(");

    private JdbcTemplate() {}

    /** Reads one row. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** Sets what a database wants set on a statement before it runs. */
    @FunctionalInterface
    public interface Tuning {
        void apply(PreparedStatement statement) throws SQLException;
    }

    /** Binds a text to a place of a statement. */
    @FunctionalInterface
    public interface TextBinding {
        void bind(PreparedStatement statement, int place, String text) throws SQLException;
    }

    /** Runs an INSERT, UPDATE or DELETE and returns the number of rows changed. */
    public static int update(Connection conn, String sql, Object... params) {
        return PLAIN.update(conn, sql, params);
    }

    /** Runs the same statement for each set of parameters. */
    public static void batch(Connection conn, String sql, List<Object[]> rows) {
        PLAIN.batch(conn, sql, rows);
    }

    /** Runs a query and returns its rows. */
    public static <T> List<T> query(Connection conn, String sql, RowMapper<T> mapper, Object... params) {
        return PLAIN.query(conn, sql, mapper, params);
    }

    /** Runs a statement that changes rows and returns them, as {@code UPDATE … RETURNING} does. */
    public static <T> List<T> updateReturning(Connection conn, String sql, RowMapper<T> mapper, Object... params) {
        return PLAIN.query(conn, sql, mapper, params);
    }

    /** Returns the same operations for statements that are tuned before they run. */
    public static Statements tuned(Tuning tuning) {
        return tuned(tuning, PreparedStatement::setString);
    }

    /**
     * Returns the same operations for statements that are tuned before they run, and whose texts are bound in another
     * way.
     */
    public static Statements tuned(Tuning tuning, TextBinding texts) {
        return new Statements(Objects.requireNonNull(tuning, "tuning"), Objects.requireNonNull(texts, "texts"));
    }

    /** Reads a UTC timestamp; {@code null} stays {@code null}. */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        return instant(row, row.findColumn(column));
    }

    /** Reads a UTC timestamp by the place of its column, from 1 on; {@code null} stays {@code null}. */
    public static Instant instant(ResultSet row, int column) throws SQLException {
        LocalDateTime utc = row.getObject(column, LocalDateTime.class);
        return utc == null ? null : utc.toInstant(ZoneOffset.UTC);
    }

    /** The operations of {@link JdbcTemplate} for statements that are tuned before they run. */
    public static final class Statements {

        private final Tuning tuning;
        private final TextBinding texts;

        private Statements(Tuning tuning, TextBinding texts) {
            this.tuning = tuning;
            this.texts = texts;
        }

        /** Runs an INSERT, UPDATE or DELETE and returns the number of rows changed. */
        public int update(Connection conn, String sql, Object... params) {
            try (PreparedStatement statement = conn.prepareStatement(sql)) {
                tuning.apply(statement);
                bind(statement, params);
                return statement.executeUpdate();
            } catch (SQLException e) {
                throw failure(sql, e);
            }
        }

        /** Runs the same statement for each set of parameters. */
        public void batch(Connection conn, String sql, List<Object[]> rows) {
            if (rows.size() == 1) {
                update(conn, sql, rows.get(0));
                return;
            }
            try (PreparedStatement statement = conn.prepareStatement(sql)) {
                tuning.apply(statement);
                for (Object[] row : rows) {
                    bind(statement, row);
                    statement.addBatch();
                }
                statement.executeBatch();
            } catch (SQLException e) {
                throw failure(sql, e);
            }
        }

        /** Runs a query, or a statement that returns the rows it changes, and returns the rows. */
        public <T> List<T> query(Connection conn, String sql, RowMapper<T> mapper, Object... params) {
            return queryUntil(conn, sql, mapper, row -> false, params);
        }

        /** Runs a query and returns its rows up to the first that is the last, and reads no further. */
        public <T> List<T> queryUntil(
                Connection conn, String sql, RowMapper<T> mapper, Predicate<T> isLast, Object... params) {
            try (PreparedStatement statement = conn.prepareStatement(sql)) {
                tuning.apply(statement);
                bind(statement, params);
                try (ResultSet result = statement.executeQuery()) {
                    List<T> rows = new ArrayList<>();
                    boolean ended = false;
                    while (!ended && result.next()) {
                        T row = mapper.map(result);
                        rows.add(row);
                        ended = isLast.test(row);
                    }
                    return rows;
                }
            } catch (SQLException e) {
                throw failure(sql, e);
            }
        }

        private void bind(PreparedStatement statement, Object[] params) throws SQLException {
            for (int i = 0; i < params.length; i++) {
                if (params[i] instanceof Instant instant) {
                    statement.setObject(
                            i + 1, LocalDateTime.ofInstant(instant.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC));
                } else if (params[i] instanceof String || params[i] == null) {
                    texts.bind(statement, i + 1, (String) params[i]);
                } else if (params[i] instanceof String[] texts) {
                    statement.setArray(i + 1, statement.getConnection().createArrayOf("varchar", texts));
                } else {
                    statement.setObject(i + 1, params[i]);
                }
            }
        }
    }

    private static OutboxStoreException failure(String sql, SQLException e) {
        String statement = sql.strip().replaceAll("\\s+", " ");
        String start = statement.length() > 60 ? statement.substring(0, 60) + "…" : statement;
        SQLException reason = withoutValues(e);
        return new OutboxStoreException("Outbox statement failed (" + start + "): " + reason.getMessage(), reason);
    }

    /**
     * Returns the failure without the values of rows. PostgreSQL names them in the details of its errors, from the
     * second line on, and its driver in the message of a failed batch. Of those details, the columns of a key are kept.
     */
    private static SQLException withoutValues(SQLException e) {
        SQLException reason =
                e instanceof BatchUpdateException && e.getNextException() != null ? e.getNextException() : e;
        String message = String.valueOf(reason.getMessage());
        int end = message.indexOf('\n');
        if (end < 0) {
            return reason;
        }
        Matcher key = KEY.matcher(message.substring(end));
        String onKey = key.find() ? " on (" + key.group(1) + ")" : "";
        SQLException plain = new SQLException(
                message.substring(0, end).strip() + onKey, reason.getSQLState(), reason.getErrorCode());
        plain.setStackTrace(reason.getStackTrace());
        return plain;
    }
}
