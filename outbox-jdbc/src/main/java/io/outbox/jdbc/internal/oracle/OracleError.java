package io.outbox.jdbc.internal.oracle;

import java.sql.SQLException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error of Oracle, known by the number with which its message begins in every language: its states say little, and
 * its numbers alone are those of other databases' errors too.
 *
 * @param number the number, or 0 if the error is not Oracle's
 * @param message the message
 */
public record OracleError(int number, String message) {

    private static final Pattern MESSAGE = Pattern.compile("ORA-(\\d{5}):.*", Pattern.DOTALL);

    /** The violated constraint, and its columns from version 23 on. */
    private static final Pattern KEY =
            Pattern.compile("\\((?:[^.()]*\\.)?(?<name>[^.()]*)\\)(?:[^()]*\\((?<columns>[^()]*)\\))?");

    private static final Pattern EVENT_ID = Pattern.compile("\\bEVENT_ID\\b", Pattern.CASE_INSENSITIVE);

    /** The names that scripts, people and Oracle itself give to primary keys. */
    private static final Pattern PRIMARY_KEY =
            Pattern.compile("(?:.*_)?PK(?:_.*)?|SYS_C\\d+", Pattern.CASE_INSENSITIVE);

    private static final int UNIQUE_CONSTRAINT = 1;

    /** A deadlock, and a row that a serializable transaction may not see. */
    private static final Set<Integer> GIVEN_UP = Set.of(60, 8177);

    /**
     * NULL or a value too large for a column, a number too large for its precision, a text too long for its type, a
     * violated check or foreign key, no partition for a key.
     */
    private static final Set<Integer> REFUSALS = Set.of(1400, 1401, 1407, 1438, 1461, 2290, 2291, 12899, 14400, 24816);

    private static final int FIRST_OF_APPLICATIONS = 20000;
    private static final int LAST_OF_APPLICATIONS = 20999;

    private static final int OPEN_FOR_READING_ONLY = 16000;

    /** A missing right, and from version 23 on which one. */
    private static final Set<Integer> FORBIDDEN = Set.of(1031, 41900);

    /** The session was killed or is not logged on, the server starts or stops, the connection broke. */
    private static final Set<Integer> UNANSWERED = Set.of(
            28, 600, 1012, 1033, 1034, 1089, 1090, 1092, 2396, 3113, 3114, 3135, 12514, 12541, 17002, 17008, 17410);

    /** Returns the error that a driver has reported. */
    public static OracleError of(SQLException e) {
        String message = String.valueOf(e.getMessage());
        Matcher matcher = MESSAGE.matcher(message);
        return new OracleError(matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0, message);
    }

    /** Returns whether there is a row with the same event id; another unique index is the application's own. */
    public boolean isDuplicateKey() {
        Matcher key = KEY.matcher(message);
        if (number != UNIQUE_CONSTRAINT || !key.find()) {
            return false;
        }
        String columns = key.group("columns");
        return columns == null
                ? PRIMARY_KEY.matcher(key.group("name")).matches()
                : EVENT_ID.matcher(columns).find();
    }

    /** Returns whether Oracle gave up the statement in favour of another. */
    public boolean isGivenUp() {
        return GIVEN_UP.contains(number);
    }

    /** Returns whether Oracle does not take these values, or a trigger of the application does not. */
    public boolean isRefusal() {
        return REFUSALS.contains(number) || (number >= FIRST_OF_APPLICATIONS && number <= LAST_OF_APPLICATIONS);
    }

    /** Returns whether the user lacks a right. */
    public boolean isForbidden() {
        return FORBIDDEN.contains(number);
    }

    /** Returns whether the database is a standby that only reads. */
    public boolean isReadOnly() {
        return number == OPEN_FOR_READING_ONLY;
    }

    /** Returns whether nobody knows what became of the statement. */
    public boolean isUnanswered() {
        return UNANSWERED.contains(number);
    }
}
