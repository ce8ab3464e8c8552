package io.outbox.admin;

import io.outbox.BlockedKeys;
import io.outbox.Outbox;
import io.outbox.model.BlockedKey;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Keys blocked by an event that failed for good: the list, and how to unblock them. */
final class BlockedKeysApi {

    private static final int MOST = 200;
    private static final int DEFAULT = 50;
    private static final int LONGEST_KEY = 400;
    private static final int LONGEST_ID = 36;
    private static final int LONGEST_REASON = 1000;
    private static final String NO_REASON = "no reason given";

    private final Outbox outbox;
    private final Views views;
    private final AuditLog audit;

    BlockedKeysApi(Outbox outbox, Views views, AuditLog audit) {
        this.outbox = outbox;
        this.views = views;
        this.audit = audit;
    }

    /** Which keys come first. */
    enum Order {
        OLDEST,
        NEWEST
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/blocked-keys", this::list, "order", "limit", "after")
                .operate("POST", api + "/blocked-keys/resume", this::resume, "key", "eventId")
                .operate("POST", api + "/blocked-keys/skip", this::skip, "key", "eventId", "reason");
    }

    private BlockedKeys keys() {
        return outbox.blockedKeys()
                .orElseThrow(() -> Problem.notFound("This outbox does not deliver in the order of keys"));
    }

    private AdminResponse list(Exchange exchange) {
        BlockedKeys keys = keys();
        int limit = exchange.number("limit", DEFAULT, 1, MOST);
        BlockedKey.Order order = exchange.choice("order", Order.class) == Order.NEWEST
                ? BlockedKey.Order.NEWEST_FIRST
                : BlockedKey.Order.OLDEST_FIRST;
        String after = exchange.param("after");
        List<BlockedKey> page = keys.list(order, after == null ? null : place(after), limit);
        BlockedKey.Figures figures = keys.figures();
        return AdminResponse.json(
                200,
                new Views.BlockedKeys(
                        page.stream().map(this::view).toList(),
                        page.size() < limit ? null : cursor(page.get(page.size() - 1)),
                        figures.keys(),
                        figures.waiting(),
                        figures.exact()));
    }

    private Views.BlockedKey view(BlockedKey key) {
        BlockedKey.Event event = key.event();
        return new Views.BlockedKey(
                key.key(),
                event.eventId(),
                event.eventType(),
                event.attempts(),
                views.error(event.eventType(), event.lastError()),
                event.createdAt(),
                key.since(),
                key.waiting(),
                key.waiting() < BlockedKey.MOST_WAITING);
    }

    private static String cursor(BlockedKey last) {
        return (last.since() == null ? "" : micros(last.since())) + "~"
                + micros(last.event().createdAt()) + "~" + last.event().eventId();
    }

    private static BlockedKey place(String cursor) {
        try {
            String[] parts = cursor.split("~", 3);
            return new BlockedKey(
                    "",
                    new BlockedKey.Event(parts[2], "", 0, time(parts[1]), null),
                    parts[0].isEmpty() ? null : time(parts[0]),
                    0);
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException | DateTimeException | ArithmeticException e) {
            throw Problem.invalid("after", "must be what an earlier answer gave as next");
        }
    }

    private static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static Instant time(String micros) {
        Instant time = Instant.EPOCH.plus(Long.parseLong(micros), ChronoUnit.MICROS);
        if (time.isBefore(Instant.EPOCH) || time.isAfter(Exchange.LAST_TIME)) {
            throw new DateTimeException("out of range");
        }
        return time;
    }

    private AdminResponse resume(Exchange exchange) {
        BlockedKeys keys = keys();
        Map<String, Object> body = exchange.body();
        String key = required(body, "key", LONGEST_KEY);
        String eventId = required(body, "eventId", LONGEST_ID);
        return audit.during(exchange.caller(), "resume-key", eventId, key, () -> {
            requireBlocked(keys.resume(key, eventId));
            return AdminResponse.noContent();
        });
    }

    private AdminResponse skip(Exchange exchange) {
        BlockedKeys keys = keys();
        Map<String, Object> body = exchange.body();
        String key = required(body, "key", LONGEST_KEY);
        String eventId = required(body, "eventId", LONGEST_ID);
        String given = body.get("reason") == null ? NO_REASON : required(body, "reason", LONGEST_REASON);
        String reason = "Skipped by " + exchange.caller().name() + ": " + given;
        return audit.during(exchange.caller(), "skip-key", eventId, key + ": " + given, () -> {
            requireBlocked(keys.skip(key, eventId, reason));
            return AdminResponse.noContent();
        });
    }

    private static String required(Map<String, Object> body, String name, int longest) {
        String value = Exchange.text(body, name);
        if (value == null || value.isBlank() || value.length() > longest) {
            throw Problem.invalid(name, "must have 1 to " + longest + " characters and not be blank");
        }
        return value;
    }

    private static void requireBlocked(boolean hadEffect) {
        if (!hadEffect) {
            throw Problem.conflict(
                    "not-blocked", "This event does not block the key, or no longer does; reload the list");
        }
    }
}
