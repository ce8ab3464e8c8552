package io.outbox.jdbc;

import java.util.Objects;
import java.util.regex.Pattern;

/** Rules for table names, which are part of the SQL text and must not be able to change its meaning. */
public final class TableNames {

    public static final String DEFAULT_TABLE = "outbox_event";

    private static final Pattern VALID =
            Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}(\\.[A-Za-z_][A-Za-z0-9_]{0,62})?");

    private TableNames() {}

    /**
     * Returns the name if it is a plain identifier, or two of them joined by a dot (schema and table).
     *
     * @throws IllegalArgumentException if it is not
     */
    public static String validate(String tableName) {
        Objects.requireNonNull(tableName, "tableName");
        if (!VALID.matcher(tableName).matches()) {
            throw new IllegalArgumentException(
                    "Invalid table name '" + tableName
                            + "': use letters, digits and underscores, optionally with a schema in front, as in app.outbox_event");
        }
        return tableName;
    }
}
