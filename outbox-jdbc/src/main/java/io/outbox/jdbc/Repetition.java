package io.outbox.jdbc;

import io.outbox.jdbc.internal.oracle.OracleError;
import io.outbox.store.OwnTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs statements of the outbox's own again when the database gave them up in favour of others: after a deadlock, a
 * serialization failure or a conflict of updates. Nothing of such a statement or transaction is left, so that repeating
 * it is safe.
 *
 * <p>Only what runs on a connection in auto-commit mode is the outbox's own. In a transaction of the caller's the
 * failure has ended more than our statement, and only the caller can repeat that.
 */
public final class Repetition {

    /** How often something is tried before its failure stands. */
    public static final int MAX_TRIES = 10;

    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Serialization failure, by which most databases also name a deadlock, and PostgreSQL's deadlock. */
    private static final Set<String> STATES = Set.of("40001", "40P01");
    /** H2's concurrent update and lock timeout, which have no state of their own. */
    private static final Set<Integer> H2_CODES = Set.of(90131, 50200);

    /** TiDB's conflicts of writes, some found at the commit, after which the transaction is rolled back. */
    private static final Set<Integer> TIDB_CODES = Set.of(8002, 8005, 8022, 9007);

    private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;

    private final Consumer<Connection> beforeTransaction;
    private final Consumer<Connection> beginRepetition;

    /**
     * Returns the loop for a database.
     *
     * @param beforeTransaction called on a connection in auto-commit mode before a statement or transaction that locks
     * rows
     * @param beginRepetition called at the beginning of the transaction in which something is repeated
     */
    public Repetition(Consumer<Connection> beforeTransaction, Consumer<Connection> beginRepetition) {
        this.beforeTransaction = beforeTransaction;
        this.beginRepetition = beginRepetition;
    }

    /** Runs a statement that locks nothing. */
    public <T> T read(Connection conn, Supplier<T> work) {
        return repeat(conn, work);
    }

    /** Runs a statement that locks rows. */
    public <T> T run(Connection conn, Supplier<T> work) {
        return repeat(conn, () -> {
            if (isOwn(conn)) {
                beforeTransaction.accept(conn);
            }
            return work.get();
        });
    }

    /** Runs statements that belong together, in the caller's transaction if there is one, else in one of their own. */
    public <T> T runInTransaction(Connection conn, Supplier<T> work) {
        return repeat(conn, () -> isOwn(conn) ? inOwnTransaction(conn, work) : work.get());
    }

    private <T> T repeat(Connection conn, Supplier<T> work) {
        Supplier<T> next = work;
        for (int tries = 1; ; tries++) {
            try {
                return next.get();
            } catch (OutboxStoreException e) {
                if (tries == MAX_TRIES || !isRepeatable(e) || !isOwn(conn)) {
                    throw e;
                }
                pause(tries);
                next = () -> inOwnTransaction(conn, () -> {
                    beginRepetition.accept(conn);
                    return work.get();
                });
            }
        }
    }

    private <T> T inOwnTransaction(Connection conn, Supplier<T> work) {
        beforeTransaction.accept(conn);
        try {
            return OwnTransaction.run(conn, work::get);
        } catch (SQLException e) {
            throw new OutboxStoreException("Outbox transaction failed: " + e.getMessage(), e);
        }
    }

    /**
     * Returns whether the database gave the statement up in favour of another, and took back all of it. A wait for a
     * lock that took too long is reported alike by MySQL's driver, but the next wait would be as long.
     */
    public static boolean isRepeatable(OutboxStoreException e) {
        return e.getCause() instanceof SQLException cause
                && cause.getErrorCode() != MYSQL_LOCK_WAIT_TIMEOUT
                && (STATES.contains(String.valueOf(cause.getSQLState()))
                        || H2_CODES.contains(cause.getErrorCode())
                        || TIDB_CODES.contains(cause.getErrorCode())
                        || OracleError.of(cause).isGivenUp());
    }

    /**
     * Returns whether what runs on the connection is the outbox's own. A connection that cannot tell is not used again;
     * one whose rollback failed is not in auto-commit mode any more.
     */
    public static boolean isOwn(Connection conn) {
        try {
            return conn.getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    /** Waits for a random time, so that those who met do not meet again, and longer the more often they did. */
    public static void pause(int tries) {
        long longest = Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << (tries - 1));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(longest));
    }
}
