package io.outbox.spring.boot.internal.failures;

import java.sql.SQLException;
import java.util.regex.Pattern;

/** What a failure says, for somebody who reads no stack traces: in one line, and without credentials. */
public final class Reason {

    private static final Pattern SECRET =
            Pattern.compile("(?i)(password|passwd|pwd|secret|token)(\\s*[=:]\\s*)[^\\s&;,'\")]+");
    private static final Pattern USER_INFO = Pattern.compile("(//[^/:@\\s]+):[^/@\\s]+@");

    private Reason() {}

    /** Returns the reason: what the database says, if it has said anything. */
    public static String of(Throwable failure) {
        Throwable telling = failure;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                telling = cause;
            }
        }
        String message = telling.getMessage();
        return message == null || message.isBlank()
                ? telling.getClass().getSimpleName()
                : masked(message).replaceAll("\\s+", " ").strip();
    }

    /** Returns the text with passwords, which drivers may quote as part of a URL, made unreadable. */
    static String masked(String text) {
        return USER_INFO.matcher(SECRET.matcher(text).replaceAll("$1$2***")).replaceAll("$1:***@");
    }
}
