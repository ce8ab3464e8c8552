package io.outbox.jdbc;

import java.util.List;

/** Thrown when a table of the outbox is missing or cannot store what is written to it. */
public final class OutboxSchemaException extends OutboxStoreException {

    private static final long serialVersionUID = 1L;

    private final String tableName;
    private final boolean tableMissing;
    private final transient List<String> statements;

    /** Creates the exception with the statements that fix the table, or create it. */
    public OutboxSchemaException(String message, String tableName, boolean tableMissing, List<String> statements) {
        super(message);
        this.tableName = tableName;
        this.tableMissing = tableMissing;
        this.statements = List.copyOf(statements);
    }

    /** Returns the table that was checked. */
    public String tableName() {
        return tableName;
    }

    /** Returns whether there is no such table at all. */
    public boolean isTableMissing() {
        return tableMissing;
    }

    /** Returns the statements that fix the table, in the order of the problems in the message. */
    public List<String> statements() {
        return statements == null ? List.of() : statements;
    }
}
