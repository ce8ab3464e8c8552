package io.outbox.jdbc;

import io.outbox.jdbc.internal.oracle.OracleError;
import io.outbox.spi.OutboxBackendException;
import java.sql.SQLException;
import java.util.Set;

/** A statement of the outbox failed; the cause is the driver's exception. */
public class OutboxStoreException extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    /** Data exceptions, violated constraints, violated checks of views. */
    private static final Set<String> REFUSING_CLASSES = Set.of("22", "23", "44");
    /** An exception that a trigger raised: of PostgreSQL, and of MySQL and others. */
    private static final Set<String> REFUSING_STATES = Set.of("P0001", "45000");
    /**
     * Refusals of MySQL and MariaDB under a state that says nothing: truncated data, text that the column's character
     * set does not have, a value that is not one of the column's type, a violated check.
     */
    private static final Set<Integer> REFUSING_CODES = Set.of(1265, 1300, 1366, 1411, 3819, 3854, 3988);
    /**
     * How states begin without an answer: connections, a PostgreSQL that shuts down, time-outs of drivers, and H2's
     * own.
     */
    private static final Set<String> UNANSWERED = Set.of("08", "57P", "HYT", "90");

    private static final String READ_ONLY = "25006";
    /** MySQL's and MariaDB's codes for a server that an operator, or InnoDB, has made read-only. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1836);

    /** MySQL's code where InnoDB has refused a lock, for a reason that only the text names by its number. */
    private static final int CANNOT_LOCK = 1015;

    private static final String TABLE_IS_READ_ONLY = "errno: 165";

    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    /** MySQL's and MariaDB's codes for a missing right to a table and to a column, and H2's for a table. */
    private static final Set<Integer> FORBIDDING_CODES = Set.of(1142, 1143, 90096);

    /** The states that say nothing: a general error and a general warning. */
    private static final Set<String> VAGUE_STATES = Set.of("HY000", "01000");

    public OutboxStoreException(String message) {
        super(message);
    }

    public OutboxStoreException(String message, Throwable cause) {
        super(message, cause);
    }

    /** A database that answers with an error has taken the statement back; without its answer nobody knows. */
    @Override
    public boolean isWithoutEffect() {
        if (!(getCause() instanceof SQLException cause) || cause.getSQLState() == null) {
            return false;
        }
        String state = cause.getSQLState();
        return UNANSWERED.stream().noneMatch(state::startsWith)
                && !OracleError.of(cause).isUnanswered()
                && (!VAGUE_STATES.contains(state) || cause.getErrorCode() > 0);
    }

    /** Returns whether the user of the database lacks a right that the statement needs. */
    public boolean isForbidden() {
        return getCause() instanceof SQLException cause
                && (INSUFFICIENT_PRIVILEGE.equals(cause.getSQLState())
                        || FORBIDDING_CODES.contains(cause.getErrorCode())
                        || OracleError.of(cause).isForbidden());
    }

    /**
     * Returns whether the server answered that it only reads: it is a replica, or was the primary until a fail-over.
     * Another connection may lead to the primary.
     */
    public boolean isReadOnly() {
        return getCause() instanceof SQLException cause
                && (READ_ONLY.equals(cause.getSQLState())
                        || READ_ONLY_CODES.contains(cause.getErrorCode())
                        || (CANNOT_LOCK == cause.getErrorCode()
                                && String.valueOf(cause.getMessage()).contains(TABLE_IS_READ_ONLY))
                        || OracleError.of(cause).isReadOnly());
    }

    /** Goes by what the database said; without an answer of the database nothing is refused. */
    @Override
    public boolean isRefusal() {
        if (!(getCause() instanceof SQLException cause) || cause.getSQLState() == null) {
            return false;
        }
        String state = cause.getSQLState();
        return REFUSING_STATES.contains(state)
                || OracleError.of(cause).isRefusal()
                || (state.length() == 5 && REFUSING_CLASSES.contains(state.substring(0, 2)))
                || (VAGUE_STATES.contains(state) && REFUSING_CODES.contains(cause.getErrorCode()));
    }
}
