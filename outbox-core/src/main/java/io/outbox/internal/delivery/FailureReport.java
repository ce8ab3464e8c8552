package io.outbox.internal.delivery;

import io.outbox.dispatch.StackTraces;
import io.outbox.model.FailureText;
import io.outbox.model.FailureText.Attempt;
import io.outbox.spi.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes the text that is stored with a failed attempt, in the form that {@link FailureText} reads: the exception, its
 * causes down to the root, the way to the place where that was thrown, and the attempts so far.
 *
 * <p>The text and the work are bounded, whatever was thrown: chains may be long, cyclic or made anew with every call,
 * messages may have megabytes, and an exception's own methods may throw. The outermost exception comes first and is cut
 * last, then its root cause, the attempts, other causes, suppressed exceptions and the frames of the stack.
 */
final class FailureReport {

    private static final int MOST_CAUSES = 100;
    private static final int CAUSES_AT_EACH_END = 3;
    private static final int LONGEST_END = 1_400;
    private static final int LONGEST_BETWEEN = 150;
    private static final int LONGEST_FRAME = 200;
    private static final int MOST_SUPPRESSED = 3;
    private static final int MOST_SHORT_FRAMES = 15;
    private static final int MOST_ATTEMPTS = 8;
    private static final int LONGEST_ATTEMPT = 120;
    private static final int LONGEST_NODE = 40;

    /** Frames that say how a call got from one piece of the application to the next. */
    private static final List<String> PLUMBING = List.of(
            "java.", "javax.", "jdk.", "sun.", "com.sun.", "jakarta.", "org.springframework.", "io.outbox.", "kotlin.");

    private static final String OUR_EXAMPLES = "io.outbox.samples.";

    private final StackTraces stackTraces;
    private final String node;
    private final EngineClock clock;

    /** @param node the name of this node, or {@code null} */
    FailureReport(StackTraces stackTraces, String node, EngineClock clock) {
        this.stackTraces = stackTraces;
        this.node = node == null ? null : cut(node, LONGEST_NODE);
        this.clock = clock;
    }

    /** Returns the text for an error that several events may share. */
    String describe(Throwable error) {
        List<Throwable> chain = chain(error);
        Throwable root = chain.get(chain.size() - 1);
        boolean isAlone = chain.size() == 1;
        int room = Outcome.MAX_ERROR_LENGTH - MOST_ATTEMPTS * LONGEST_ATTEMPT;
        StringBuilder text = new StringBuilder(cut(text(error), isAlone ? 2 * LONGEST_END : LONGEST_END));
        int dropped = chain.size() - 2 * CAUSES_AT_EACH_END;
        for (int i = 1; i < chain.size(); i++) {
            if (dropped > 0 && i == CAUSES_AT_EACH_END) {
                i += dropped;
            }
            boolean isRoot = i == chain.size() - 1;
            text.append('\n').append(FailureText.CAUSED_BY);
            text.append(cut(oneLine(chain.get(i)), isRoot ? LONGEST_END : LONGEST_BETWEEN));
        }
        appendLines(text, room, suppressed(chain));
        if (stackTraces != StackTraces.NONE) {
            appendLines(text, room, frames(root));
            if (!isAlone && !isWithin(error, root)) {
                appendLines(text, room, frames(error));
            }
        }
        return text.toString();
    }

    /**
     * Returns the text with the attempts before this one, as far as the event's last error knows them, and this one.
     *
     * @param lastError the text of the attempt before, or {@code null}
     */
    String withAttempts(String described, int attemptsBefore, String lastError) {
        FailureText before = FailureText.of(lastError);
        List<Attempt> attempts = new ArrayList<>();
        for (Attempt each : before.attempts()) {
            String error = each.error() == null ? oneLine(before.root()) : each.error();
            attempts.add(new Attempt(each.number(), each.at(), each.node(), error));
        }
        attempts.add(new Attempt(attemptsBefore + 1, clock.now(), node, null));
        String lines = attempts.stream()
                .skip(Math.max(0, attempts.size() - MOST_ATTEMPTS))
                .map(each -> "\n\t" + cut(each.toString(), LONGEST_ATTEMPT - 2))
                .collect(Collectors.joining("", "\n" + FailureText.ATTEMPTS, ""));
        return cut(described, Outcome.MAX_ERROR_LENGTH - lines.length()) + lines;
    }

    /** Returns the error and its causes, the root last; the first of them again, or too many, end it. */
    private static List<Throwable> chain(Throwable error) {
        Set<Throwable> chain = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> inOrder = new ArrayList<>();
        Throwable next = error;
        while (next != null && inOrder.size() < MOST_CAUSES && chain.add(next)) {
            inOrder.add(next);
            next = cause(next);
        }
        return inOrder;
    }

    private static Throwable cause(Throwable error) {
        try {
            return error.getCause();
        } catch (RuntimeException | Error e) {
            return null;
        }
    }

    private static List<String> suppressed(List<Throwable> chain) {
        return chain.stream()
                .flatMap(each -> Arrays.stream(each.getSuppressed()))
                .limit(MOST_SUPPRESSED)
                .map(each -> "\tSuppressed: " + cut(oneLine(each), LONGEST_BETWEEN))
                .toList();
    }

    /** Returns whether the root was thrown below the method that threw the error, so that its frames lead there. */
    private static boolean isWithin(Throwable error, Throwable root) {
        StackTraceElement[] outer = trace(error);
        StackTraceElement[] inner = trace(root);
        if (outer.length == 0 || inner.length < outer.length) {
            return outer.length == 0;
        }
        StackTraceElement last = outer[outer.length - 1];
        StackTraceElement first = outer[0];
        return inner[inner.length - 1].equals(last)
                && inner[inner.length - outer.length].getMethodName().equals(first.getMethodName())
                && inner[inner.length - outer.length].getClassName().equals(first.getClassName());
    }

    private static StackTraceElement[] trace(Throwable error) {
        try {
            return error.getStackTrace();
        } catch (RuntimeException | Error e) {
            return new StackTraceElement[0];
        }
    }

    /** Returns the frames from the place of the error to the listener; what is left out is counted. */
    private List<String> frames(Throwable error) {
        StackTraceElement[] trace = trace(error);
        boolean isShort = stackTraces == StackTraces.SHORT;
        List<String> lines = new ArrayList<>();
        int shown = 0;
        int hidden = 0;
        for (int i = 0; i < trace.length; i++) {
            boolean isShown = !isShort || i == 0 || (shown < MOST_SHORT_FRAMES && !isPlumbing(trace[i]));
            if (!isShown) {
                hidden++;
                continue;
            }
            if (hidden > 0) {
                lines.add("\t... " + hidden + " more");
                hidden = 0;
            }
            lines.add("\tat " + cut(trace[i].toString(), LONGEST_FRAME));
            shown++;
        }
        if (hidden > 0) {
            lines.add("\t... " + hidden + " more");
        }
        return lines;
    }

    private static boolean isPlumbing(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.contains("$$") || (PLUMBING.stream().anyMatch(name::startsWith) && !name.startsWith(OUR_EXAMPLES));
    }

    private static void appendLines(StringBuilder text, int room, List<String> lines) {
        for (String line : lines) {
            if (text.length() + 1 + line.length() > room) {
                return;
            }
            text.append('\n').append(line);
        }
    }

    /** Returns the error's text; an exception whose own methods throw is known by its class. */
    static String text(Throwable error) {
        try {
            String text = error.toString();
            return text == null ? error.getClass().getName() : text;
        } catch (RuntimeException | Error e) {
            return error.getClass().getName();
        }
    }

    private static String oneLine(Throwable error) {
        return oneLine(cut(text(error), LONGEST_END));
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }

    private static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(length - 2)) ? length - 2 : length - 1;
        return text.substring(0, end) + "…";
    }
}
