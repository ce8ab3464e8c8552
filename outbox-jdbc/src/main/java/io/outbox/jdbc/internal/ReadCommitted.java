package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;

/**
 * Has one transaction of our own run at READ COMMITTED, whatever the isolation of the connection. Nothing has to be
 * restored afterwards.
 */
public final class ReadCommitted {

    private static final String SET = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private ReadCommitted() {}

    /**
     * For MySQL, outside of a transaction: the next one. Under MySQL's default, statements that lock rows also lock the
     * gaps between them and block the application's inserts.
     */
    public static void forNextTransaction(Connection conn) {
        JdbcTemplate.update(conn, SET);
    }

    /**
     * For PostgreSQL, at the beginning of a transaction: this one. At stricter levels PostgreSQL gives up what meets an
     * update that it may not see, and does so again for as long as others are busy with the same events.
     */
    public static void forThisTransaction(Connection conn) {
        JdbcTemplate.update(conn, SET);
    }
}
