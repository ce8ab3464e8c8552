package io.outbox.jdbc.wakeup;

import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.internal.FreshPlan;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * The name of the channel for a table: the same for all who use this table, by whatever search path, and another for a
 * table of the same name in another schema. Known once a connection has been asked. Thread-safe.
 */
final class NotificationChannel {

    private static final int DIGITS = 16;

    private final String tableName;
    private volatile String name;

    NotificationChannel(String tableName) {
        this.tableName = TableNames.validate(tableName);
    }

    String name(Connection connection) throws SQLException {
        String known = name;
        if (known == null) {
            known = "outbox_" + digest(qualifiedName(connection)).substring(0, DIGITS);
            name = known;
        }
        return known;
    }

    private String qualifiedName(Connection connection) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT n.nspname || '.' || c.relname FROM pg_class c"
                        + " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)")) {
            FreshPlan.request(select);
            select.setString(1, tableName);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("Table " + tableName + " does not exist");
                }
                return row.getString(1);
            }
        }
    }

    private static String digest(String text) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("Every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return tableName;
    }
}
