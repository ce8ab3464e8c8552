package io.outbox.admin;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer that is not what was asked for, in the form of RFC 9457. Says nothing that a driver or a stack trace says. */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String kind;
    private final String title;
    private final transient Map<String, Object> more;
    private final transient Map<String, String> headers;

    private Problem(int status, String kind, String title, String detail, Map<String, Object> more) {
        this(status, kind, title, detail, more, Map.of());
    }

    private Problem(
            int status,
            String kind,
            String title,
            String detail,
            Map<String, Object> more,
            Map<String, String> headers) {
        super(detail, null, false, false);
        this.status = status;
        this.kind = kind;
        this.title = title;
        this.more = more;
        this.headers = headers;
    }

    static Problem badRequest(String detail) {
        return new Problem(400, "bad-request", "Bad request", detail, Map.of());
    }

    /** A value that breaks a rule. */
    static Problem invalid(String field, String rule) {
        return new Problem(
                400,
                "invalid-value",
                "Invalid value",
                field + " " + rule,
                Map.of("fields", List.of(Map.of("field", field, "message", rule))));
    }

    static Problem notFound(String detail) {
        return new Problem(404, "not-found", "Not found", detail, Map.of());
    }

    /** Some of several events are not there; nothing was changed. */
    static Problem missing(List<String> ids) {
        return new Problem(
                404,
                "not-found",
                "Not found",
                ids.size() == 1 ? "There is no such event" : "There are no such events; nothing was changed",
                Map.of("missing", ids));
    }

    static Problem conflict(String kind, String detail, Map<String, Object> more) {
        return new Problem(409, kind, "Conflict", detail, more);
    }

    static Problem unauthorized() {
        return new Problem(
                401,
                "unauthorized",
                "Unauthorized",
                "A token is needed: Authorization: Bearer …",
                Map.of(),
                Map.of("WWW-Authenticate", "Bearer"));
    }

    static Problem forbidden(String kind, String detail) {
        return new Problem(403, kind, "Forbidden", detail, Map.of());
    }

    static Problem methodNotAllowed(List<String> allowed) {
        return new Problem(
                405,
                "method-not-allowed",
                "Method not allowed",
                "Here only " + String.join(", ", allowed) + " is possible",
                Map.of(),
                Map.of("Allow", String.join(", ", allowed)));
    }

    static Problem tooLarge() {
        return new Problem(413, "too-large", "Too large", "The body is larger than is read here", Map.of());
    }

    static Problem unsupportedMediaType() {
        return new Problem(
                415, "unsupported-media-type", "Unsupported media type", "The body must be application/json", Map.of());
    }

    static Problem unavailable() {
        return new Problem(
                503,
                "store-unavailable",
                "Service unavailable",
                "The store of the outbox did not do what was asked; the application's log says why",
                Map.of());
    }

    static Problem tooManyStreams(int most) {
        return new Problem(
                503,
                "too-many-streams",
                "Service unavailable",
                "There are " + most + " streams already, or this is closing; ask again and again instead",
                Map.of());
    }

    static Problem internal() {
        return new Problem(500, "internal", "Internal error", "That failed; the application's log says why", Map.of());
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    Map<String, Object> body(String instance) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("type", "urn:outbox:problem:" + kind);
        body.put("title", title);
        body.put("status", status);
        body.put("detail", getMessage());
        body.put("instance", instance);
        body.putAll(more);
        return body;
    }
}
