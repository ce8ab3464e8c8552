package io.outbox.admin;

import io.outbox.model.AuditEntry;
import io.outbox.model.DeadLetter;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.InspectedEvent;
import io.outbox.model.NodeLocks;
import io.outbox.model.OutboxEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How things look in JSON. */
final class Views {

    private static final String RESERVED = "__";
    private static final String ENCODING = "__payload_encoding";

    private final PayloadMask mask;

    Views(PayloadMask mask) {
        this.mask = mask;
    }

    /** A dead letter with everything but its attempts. */
    Map<String, Object> letter(DeadLetter letter) {
        Map<String, Object> view = summary(letter);
        content(letter.event(), view);
        return view;
    }

    /** A dead letter in a list. */
    Map<String, Object> summary(DeadLetter letter) {
        Map<String, Object> view = identity(letter.event());
        view.put("status", letter.status());
        view.put("attempts", letter.event().attempts());
        view.put("error", letter.failure().error());
        view.put("fingerprint", letter.failure().fingerprint());
        view.put("createdAt", letter.event().createdAt());
        view.put("firstFailedAt", letter.failure().firstAt());
        view.put("lastFailedAt", letter.failure().lastAt());
        view.put("movedAt", letter.state().movedAt());
        view.put("updatedAt", letter.state().updatedAt());
        view.put("updatedBy", letter.state().updatedBy());
        return view;
    }

    /** An event of the outbox in a list. */
    static Map<String, Object> summary(InspectedEvent inspected) {
        Map<String, Object> view = identity(inspected.event());
        view.put("status", inspected.status());
        view.put("attempts", inspected.event().attempts());
        view.put("error", inspected.lastError());
        view.put("createdAt", inspected.event().createdAt());
        view.put("availableAt", inspected.event().availableAt());
        view.put("doneAt", inspected.doneAt());
        view.put("lockedBy", inspected.lock() == null ? null : inspected.lock().node());
        view.put("lockedAt", inspected.lock() == null ? null : inspected.lock().since());
        return view;
    }

    /** An event of the outbox with payload and headers. */
    Map<String, Object> event(InspectedEvent inspected) {
        Map<String, Object> view = summary(inspected);
        content(inspected.event(), view);
        return view;
    }

    private static Map<String, Object> identity(OutboxEvent event) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", event.eventId());
        view.put("eventType", event.eventType());
        view.put("aggregateType", event.aggregateType());
        view.put("aggregateId", event.aggregateId());
        view.put("tenantId", event.tenantId());
        return view;
    }

    private void content(OutboxEvent event, Map<String, Object> view) {
        Map<String, String> headers = headers(event.headersJson());
        String encoding = headers.get(ENCODING);
        headers.keySet().removeIf(name -> name.startsWith(RESERVED));
        view.put("payload", mask.payload(event, event.payloadJson()));
        view.put("payloadEncoding", encoding);
        view.put("headers", mask.headers(event, headers));
    }

    /** Returns how the payload is stored if not as it is, or {@code null}. */
    static String encoding(OutboxEvent event) {
        return headers(event.headersJson()).get(ENCODING);
    }

    /** Returns the headers; none if they cannot be read. */
    static Map<String, String> headers(String json) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (json != null && !json.isBlank()) {
            try {
                JsonReader.object(json.getBytes(StandardCharsets.UTF_8))
                        .forEach((name, value) -> headers.put(name, value == null ? null : value.toString()));
            } catch (Problem e) {
                headers.clear();
            }
        }
        return headers;
    }

    static List<Map<String, Object>> attempts(List<FailedAttempt> attempts) {
        return attempts.stream().map(Views::attempt).toList();
    }

    private static Map<String, Object> attempt(FailedAttempt attempt) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("attempt", attempt.attempt());
        view.put("at", attempt.at());
        view.put("node", attempt.node());
        view.put("error", attempt.error());
        return view;
    }

    static Map<String, Object> group(FailureGroup group) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("eventType", group.eventType());
        view.put("fingerprint", group.fingerprint());
        view.put("count", group.count());
        view.put("exact", group.exact());
        view.put("firstSeen", group.firstAt());
        view.put("lastSeen", group.lastAt());
        view.put("error", group.error());
        return view;
    }

    /** The time after which locks are taken over may be {@code null}. */
    static Map<String, Object> node(NodeLocks locks, Duration timeout) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("node", locks.node());
        view.put("events", locks.events());
        view.put("oldestLock", locks.oldest());
        view.put("newestLock", locks.newest());
        view.put("expiresAt", timeout == null ? null : locks.oldest().plus(timeout));
        return view;
    }

    static Map<String, Object> audit(AuditEntry entry) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("id", entry.id());
        view.put("at", entry.at());
        view.put("who", entry.who());
        view.put("action", entry.action());
        view.put("target", entry.target());
        view.put("detail", entry.detail());
        return view;
    }
}
