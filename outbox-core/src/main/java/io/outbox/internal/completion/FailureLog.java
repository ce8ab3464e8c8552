package io.outbox.internal.completion;

import io.outbox.EventEnvelope;
import io.outbox.model.FailureText;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the log says of attempts that failed: a line for each, with the stack trace of the first attempt of an event and
 * of the last. When many events of a type fail at once, only some have a line, and the others are counted. Names no
 * more of an event than its id, type and trace. Thread-safe.
 */
final class FailureLog {

    static final int MOST_PER_SECOND = 10;

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_ERROR_LENGTH = 500;
    private static final Pattern TRACE_PARENT =
            Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    private final LongSupplier nanoTime;
    private final Map<String, Second> seconds = new HashMap<>();

    FailureLog(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The failures of an event type within a second. */
    private static final class Second {
        private final long beganAt;
        private int told;
        private int untold;

        private Second(long beganAt) {
            this.beganAt = beganAt;
        }
    }

    /** Tells that an attempt failed and another follows. */
    synchronized void failed(Completion completion, Outcome.Failed failed) {
        tellWhatIsOver();
        if (!takeLine(completion.eventType())) {
            seconds.get(completion.eventType()).untold++;
            return;
        }
        String line =
                "Attempt " + (failed.attempts() + 1) + " of " + failed.maxAttempts() + " of event " + name(completion)
                        + " failed: " + shortened(inOneLine(failed.error())) + "; next attempt at " + failed.retryAt();
        if (failed.attempts() == 0) {
            LOG.log(Level.WARNING, line, completion.failure().error());
        } else {
            LOG.log(Level.WARNING, line);
        }
    }

    /** Tells that an event is dead; every one has its line, of many at once not every one its stack trace. */
    synchronized void dead(Completion completion) {
        tellWhatIsOver();
        String line = "Event " + name(completion) + " is DEAD: " + reason(completion.outcome());
        boolean isDecoded = completion.envelope() != null; // else the poller has told why
        if (isDecoded && takeLine(completion.eventType())) {
            LOG.log(Level.ERROR, line, completion.failure().error());
        } else {
            LOG.log(Level.ERROR, line);
        }
    }

    private static String reason(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return "attempts used up (" + failed.maxAttempts() + "), last error: " + inOneLine(failed.error());
        }
        return outcome instanceof Outcome.Dead dead ? inOneLine(dead.error()) : null;
    }

    /** Returns the stored text without its stack trace and earlier attempts, which have had lines of their own. */
    private static String inOneLine(String error) {
        return error == null ? null : FailureText.of(error).inOneLine();
    }

    /** Takes one of the lines that an event type has in a second; returns false if there is none left. */
    private boolean takeLine(String eventType) {
        Second second = seconds.computeIfAbsent(eventType, type -> new Second(nanoTime.getAsLong()));
        return second.told < MOST_PER_SECOND && ++second.told > 0;
    }

    /** Tells how many failures had no line, once their second is over. */
    synchronized void tellWhatIsOver() {
        if (!seconds.isEmpty()) {
            tellUntold(nanoTime.getAsLong() - SECOND_NANOS);
        }
    }

    /** Tells how many failures had no line, at the end. */
    synchronized void close() {
        tellUntold(nanoTime.getAsLong());
    }

    private void tellUntold(long until) {
        for (Iterator<Map.Entry<String, Second>> it = seconds.entrySet().iterator(); it.hasNext(); ) {
            Map.Entry<String, Second> entry = it.next();
            Second second = entry.getValue();
            if (second.beganAt - until > 0) {
                continue;
            }
            if (second.untold > 0) {
                LOG.log(
                        Level.WARNING,
                        "And {0} more attempts of events of type {1} failed within a second",
                        second.untold,
                        entry.getKey());
            }
            it.remove();
        }
    }

    private static String name(Completion completion) {
        String traceId = traceId(completion.envelope());
        return completion.hold().eventId() + " (type " + completion.eventType()
                + (traceId == null ? "" : ", trace " + traceId) + ")";
    }

    private static String traceId(EventEnvelope event) {
        String parent = event == null ? null : event.headers().get("traceparent");
        Matcher matcher = parent == null ? null : TRACE_PARENT.matcher(parent);
        return matcher != null && matcher.matches() ? matcher.group(1) : null;
    }

    private static String shortened(String error) {
        return error == null || error.length() <= MAX_ERROR_LENGTH
                ? error
                : error.substring(0, MAX_ERROR_LENGTH - 1) + "…";
    }
}
