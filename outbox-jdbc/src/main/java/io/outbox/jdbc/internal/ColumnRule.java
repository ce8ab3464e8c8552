package io.outbox.jdbc.internal;

/**
 * What a column has to be able to take.
 *
 * @param name the column
 * @param kind the kind of values
 * @param length how many characters it has to take at least
 * @param getsNull whether our statements write {@code NULL} into it
 */
public record ColumnRule(String name, Kind kind, long length, boolean getsNull) {

    /** The kinds of values, each with what goes wrong in a column that cannot take them. */
    public enum Kind {
        KEY("ids and names would be refused, cut or padded"),
        /** As a key; two that differ only in case are two. */
        ORDER_KEY("keys would be refused, cut or taken for each other"),
        DOCUMENT("text would be refused, cut or changed"),
        /** As a document, which a type for JSON would change. */
        TEXT("text would be refused, cut or changed"),
        REASON("outcomes with a long reason would be refused"),
        STATUS("statuses would be refused"),
        COUNT("attempts above 127 would be refused"),
        NUMBER("numbers would be refused"),
        /** A number that the database gives. */
        SEQUENCE("events would have no number, and no order"),
        TIME("times, UTC to the microsecond, would be refused or changed");

        private final String consequence;

        Kind(String consequence) {
            this.consequence = consequence;
        }

        String consequence() {
            return consequence;
        }
    }
}
