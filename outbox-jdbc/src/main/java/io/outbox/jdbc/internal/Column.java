package io.outbox.jdbc.internal;

/**
 * A column as a catalog has it.
 *
 * @param name its name, in lower case
 * @param type the name of its type, in lower case and without length
 * @param spelled the type as the database spells it out, with its length
 * @param length how many characters it takes, or {@code null} if that has no limit or no meaning
 * @param fraction how many digits of a second it keeps, or {@code null} if that has no meaning
 * @param nullable whether it takes {@code NULL}
 * @param filled whether it has a value if an INSERT does not name it
 * @param characterSet its character set, where columns have one of their own, else {@code null}
 * @param collation how its texts are compared, where columns have a way of their own, else {@code null}
 */
public record Column(
        String name,
        String type,
        String spelled,
        Long length,
        Integer fraction,
        boolean nullable,
        boolean filled,
        String characterSet,
        String collation) {}
