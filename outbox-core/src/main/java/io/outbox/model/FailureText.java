package io.outbox.model;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text that is stored with a failed event, taken apart. It has up to four sections, of which only the first is
 * always there:
 *
 * <pre>
 * java.lang.IllegalStateException: Delivery failed
 * Caused by: java.net.ConnectException: Connection refused
 *     at com.example.Payments.send(Payments.java:42)
 *     ... 12 more
 *     Attempts:
 *     1 2026-03-01T10:15:30.123Z shop-1 java.net.ConnectException: Connection refused
 *     2 2026-03-01T10:15:31.456Z shop-2
 * </pre>
 *
 * <p>Any text can be read, also one that a listener or another program has written: it is then a first section only.
 *
 * @param exception the exception that the engine met, with its message, or the reason that a listener gave
 * @param causes its causes, the root last
 * @param trace the frames of the stack, one on each line; empty if there are none
 * @param attempts the attempts that failed, oldest first; the last one is the one that this text tells of
 */
public record FailureText(String exception, List<String> causes, String trace, List<Attempt> attempts) {

    /** What a line with a cause begins with. */
    public static final String CAUSED_BY = "Caused by: ";

    /** The line above the attempts. */
    public static final String ATTEMPTS = "\tAttempts:";

    /** What the lines behind exception and causes begin with: those of the stack trace and of the attempts. */
    public static final String BEFORE_DETAILS = "\n\t";

    private static final String BEFORE_CAUSE = "\n" + CAUSED_BY;
    private static final String BEFORE_ATTEMPTS = "\n" + ATTEMPTS + BEFORE_DETAILS;
    private static final Pattern FRAMES = Pattern.compile("\n\t(?:at |\\.\\.\\. |Suppressed: )");
    private static final Pattern ATTEMPT = Pattern.compile("(\\d{1,9}) (\\S+) (\\S+)(?: (.*))?");
    private static final Pattern CLASS_NAME = Pattern.compile("[\\w$.]+\\.[\\w$]+(?=$|:|\\s)");

    public FailureText {
        causes = List.copyOf(causes);
        attempts = List.copyOf(attempts);
    }

    /**
     * An attempt that failed.
     *
     * @param node the node that made it, or {@code null} if nodes have no names
     * @param error what went wrong, in one line; {@code null} for the last attempt, of which the text tells all
     */
    public record Attempt(
            int number,
            Instant at,
            @Nullable String node,
            @Nullable String error) {

        private static final String NO_NODE = "-";

        /** Returns the line by which it is stored. */
        @Override
        public String toString() {
            String name = node == null ? NO_NODE : node.replaceAll("\\s", "_");
            return number + " " + at + " " + name + (error == null ? "" : " " + error);
        }

        private static @Nullable Attempt parse(String line) {
            Matcher matcher = ATTEMPT.matcher(line);
            if (!matcher.matches()) {
                return null;
            }
            try {
                return new Attempt(
                        Integer.parseInt(matcher.group(1)),
                        Instant.parse(matcher.group(2)),
                        matcher.group(3).equals(NO_NODE) ? null : matcher.group(3),
                        matcher.group(4));
            } catch (DateTimeException e) {
                return null;
            }
        }
    }

    /** Parses a stored text; {@code null} is read as an empty text. */
    public static FailureText of(@Nullable String stored) {
        String text = stored == null ? "" : stored;
        int attemptsAt = text.lastIndexOf(BEFORE_ATTEMPTS);
        String told = attemptsAt < 0 ? text : text.substring(0, attemptsAt);
        Matcher frames = FRAMES.matcher(told);
        int traceAt = frames.find(Math.max(0, told.lastIndexOf(BEFORE_CAUSE))) ? frames.start() : told.length();
        String[] chain = told.substring(0, traceAt).split(BEFORE_CAUSE, -1);
        return new FailureText(
                chain[0],
                Arrays.stream(chain).skip(1).map(FailureText::firstLine).toList(),
                told.substring(Math.min(traceAt + 1, told.length())),
                attemptsAt < 0 ? List.of() : attempts(text.substring(attemptsAt + BEFORE_ATTEMPTS.length() - 1)));
    }

    private static List<Attempt> attempts(String lines) {
        List<Attempt> attempts = new ArrayList<>();
        lines.lines()
                .map(line -> Attempt.parse(line.strip()))
                .filter(Objects::nonNull)
                .forEach(attempts::add);
        return attempts;
    }

    /** Returns what stands behind everything else: the last cause, or the exception itself. */
    public String root() {
        return causes.isEmpty() ? exception : causes.get(causes.size() - 1);
    }

    /** Returns exception and causes, without stack trace and attempts. */
    public String summary() {
        return causes.isEmpty() ? exception : exception + BEFORE_CAUSE + String.join(BEFORE_CAUSE, causes);
    }

    /** Returns the exception and the root cause as one line, for a log. */
    public String inOneLine() {
        String line = causes.isEmpty() ? exception : exception + ", caused by " + root();
        return line.replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }

    /** Returns the number of attempts, including the one that this text describes; 0 if it is unknown. */
    public int attemptsMade() {
        return attempts.isEmpty() ? 0 : attempts.get(attempts.size() - 1).number;
    }

    /** Returns the attempts of an event as its history; the last one with all that is known of it. */
    public List<FailedAttempt> history(String eventId) {
        String last = trace.isEmpty() ? summary() : summary() + "\n" + trace;
        return attempts.stream()
                .map(each -> new FailedAttempt(
                        eventId, each.number, each.at, each.node, each.error == null ? last : each.error))
                .toList();
    }

    /** Returns the classes of the exception and of its causes but the root, as far as they can be told. */
    List<String> classesAboveRoot() {
        return causes.isEmpty()
                ? List.of()
                : Stream.concat(Stream.of(exception), causes.stream())
                        .limit(causes.size())
                        .map(each -> className(firstLine(each)))
                        .toList();
    }

    private static String className(String line) {
        Matcher matcher = CLASS_NAME.matcher(line);
        return matcher.lookingAt() ? matcher.group() : line;
    }

    static String firstLine(String text) {
        return text.strip().lines().findFirst().orElse("");
    }
}
