package io.outbox.jdbc.store;

/**
 * A statement with named gaps, as <code>{table}</code>. What fills them is text of our own or a validated table name; values
 * are parameters.
 */
record Sql(String text) {

    /** Returns the statement with a gap filled. */
    Sql with(String gap, String filling) {
        return new Sql(text.replace("{" + gap + "}", filling));
    }

    @Override
    public String toString() {
        return text.strip();
    }
}
