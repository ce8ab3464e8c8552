package io.outbox.jdbc.internal;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.postgresql.PGStatement;

/**
 * Has PostgreSQL plan a statement for the table as it is now.
 *
 * <p>After a few executions PostgreSQL's driver leaves a statement prepared on the server, which then keeps one plan
 * for it until the statistics of the table are renewed. A plan made while the table was empty reads all of it, and goes
 * on reading all of it when it has a million rows. Planning again costs a fraction of a round trip.
 */
public final class FreshPlan {

    static final boolean DRIVER_PRESENT = isDriverPresent();

    private FreshPlan() {}

    /** Requests a plan for each execution, unless a pool or another driver hides PostgreSQL's statement. */
    public static void request(PreparedStatement statement) throws SQLException {
        if (DRIVER_PRESENT) {
            Driver.request(statement);
        }
    }

    private static boolean isDriverPresent() {
        try {
            Class.forName("org.postgresql.PGStatement", false, FreshPlan.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Loaded only where the driver is present. */
    private static final class Driver {

        static void request(PreparedStatement statement) throws SQLException {
            if (statement.isWrapperFor(PGStatement.class)) {
                statement.unwrap(PGStatement.class).setPrepareThreshold(0);
            }
        }
    }
}
