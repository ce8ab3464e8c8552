package io.outbox.jdbc.internal;

/**
 * A column as DDL defines it.
 *
 * @param name its name
 * @param text what follows the name: type, constraints and default
 */
public record ColumnDefinition(String name, String text) {

    private static final String PRIMARY_KEY = " PRIMARY KEY";

    /** Returns the type alone, with its collation if it has one. */
    public String type() {
        return withoutKey()
                .replaceAll(" (GENERATED|AS \\(|AUTO_INCREMENT).*", "")
                .replaceAll(" (NOT NULL|DEFAULT \\S+)", "");
    }

    /** Returns whether the database numbers the rows in it. */
    public boolean isSequence() {
        return text.contains("AS IDENTITY") || text.contains("AUTO_INCREMENT");
    }

    /** Returns whether the column alone is the primary key. */
    public boolean isKey() {
        return text.contains(PRIMARY_KEY);
    }

    public boolean isNotNull() {
        return text.contains("NOT NULL");
    }

    /** Returns the text without the primary key, which a change of the column must not name again. */
    public String withoutKey() {
        return text.replace(PRIMARY_KEY, "");
    }
}
