package io.outbox.jdbc.internal;

/**
 * Something about the table that is not as it should be.
 *
 * @param isError whether events would be lost, changed or refused; otherwise only time is
 * @param problem what it is and why it matters
 * @param remedy the statement that mends it, or {@code null} if there is none
 */
public record Finding(boolean isError, String problem, String remedy) {

    public static Finding error(String problem, String remedy) {
        return new Finding(true, problem, remedy);
    }

    static Finding warning(String problem, String remedy) {
        return new Finding(false, problem, remedy);
    }

    @Override
    public String toString() {
        return remedy == null ? problem : problem + ". Run: " + remedy;
    }
}
