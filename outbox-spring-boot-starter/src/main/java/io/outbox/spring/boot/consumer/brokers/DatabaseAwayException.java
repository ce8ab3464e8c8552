package io.outbox.spring.boot.consumer.brokers;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;

/**
 * The consumer's database could not be used, which says nothing about the messages: they have to come again until it is
 * back, however long that takes. The cause says what happened.
 */
final class DatabaseAwayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DatabaseAwayException(String listener, Throwable cause) {
        super(
                "The consumer's database could not be used for the idempotent listener " + listener
                        + "; its messages are redelivered until it can: " + cause.getMessage(),
                cause);
    }

    /** Returns whether a failure is, or was caused by, an exception of this kind. */
    static boolean isCauseOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DatabaseAwayException) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a failure is about a connection to a database that was lost or could not be had. */
    static boolean isLostConnection(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException reason && isLostConnection(reason)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isLostConnection(SQLException reason) {
        String state = reason.getSQLState();
        return reason instanceof SQLRecoverableException
                || reason instanceof SQLTransientConnectionException
                || reason instanceof SQLNonTransientConnectionException
                || (state != null && (state.startsWith("08") || state.startsWith("57P")));
    }
}
