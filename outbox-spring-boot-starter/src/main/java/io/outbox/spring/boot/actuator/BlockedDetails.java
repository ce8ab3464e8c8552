package io.outbox.spring.boot.actuator;

import io.outbox.BlockedKeys;
import io.outbox.Outbox;
import io.outbox.model.BlockedKey;
import io.outbox.model.FailureText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The keys of an outbox that cannot go on until an operator decides, asked for every ten seconds at most however often
 * health is. Of errors, which may quote payloads, it has the class of the exception. Thread-safe.
 */
final class BlockedDetails {

    private static final long GOOD_FOR_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int MOST_KEYS = 10;
    private static final Pattern EXCEPTION = Pattern.compile("[\\p{javaJavaIdentifierPart}.]+");
    private static final String ADVICE =
            "each of these keys waits for an event that has failed permanently: fix the cause and"
                    + " resume the event, or skip it, with Outbox.blockedKeys() or on the page Blocked keys of the dashboard";

    private final Outbox outbox;
    private Map<String, Object> description;
    private long askedAtNanos;

    BlockedDetails(Outbox outbox) {
        this.outbox = outbox;
    }

    /** Adds {@code blockedKeys}, if there are any; returns whether there are. */
    synchronized boolean describe(Map<String, Object> details) {
        if (description == null || System.nanoTime() - askedAtNanos > GOOD_FOR_NANOS) {
            description = outbox.blockedKeys().map(BlockedDetails::ask).orElse(Map.of());
            askedAtNanos = System.nanoTime();
        }
        if (!description.isEmpty()) {
            details.put("blockedKeys", description);
        }
        return !description.isEmpty();
    }

    private static Map<String, Object> ask(BlockedKeys blocked) {
        BlockedKey.Figures figures = blocked.figures();
        if (figures.keys() == 0) {
            return Map.of();
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("count", figures.keys());
        all.put("waiting", figures.waiting());
        all.put("countsAreExact", figures.exact());
        all.put(
                "keys",
                blocked.list(MOST_KEYS).stream().map(BlockedDetails::describe).toList());
        all.put("advice", ADVICE);
        return all;
    }

    private static Map<String, Object> describe(BlockedKey key) {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("key", key.key());
        one.put("eventId", key.event().eventId());
        one.put("eventType", key.event().eventType());
        if (key.since() != null) {
            one.put("since", key.since());
        }
        one.put("waiting", key.waiting());
        one.put("failedBy", exception(key.event().lastError()));
        return one;
    }

    private static String exception(String error) {
        List<String> causes = FailureText.of(error).causes();
        String root = causes.isEmpty() ? FailureText.of(error).exception() : causes.get(causes.size() - 1);
        Matcher name = EXCEPTION.matcher(root);
        return name.lookingAt() && name.group().contains(".") ? name.group() : "unknown";
    }
}
