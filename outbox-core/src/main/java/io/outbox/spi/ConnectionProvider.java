package io.outbox.spi;

import java.sql.Connection;
import java.sql.SQLException;

/** Source of short-lived connections for work outside of business transactions. The outbox closes each one. */
@FunctionalInterface
public interface ConnectionProvider {

    /** Returns a connection that is not in use elsewhere, or {@code null} for a store that uses none. */
    Connection getConnection() throws SQLException;
}
