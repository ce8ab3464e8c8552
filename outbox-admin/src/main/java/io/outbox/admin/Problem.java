package io.outbox.admin;

import io.outbox.model.DlqStatus;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * An answer that is not what was asked for, in the form of RFC 9457. Says nothing that a driver or a stack trace says.
 */
final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;
    private final String kind;
    private final String title;
    private final transient More more;
    private final transient Map<String, String> headers;

    /** What is said beyond that; what is {@code null} is not. */
    private record More(List<Views.Field> fields, List<String> missing, Map<String, DlqStatus> states) {

        static final More NOTHING = new More(null, null, null);
    }

    private Problem(int status, String kind, String title, String detail, More more) {
        this(status, kind, title, detail, more, Map.of());
    }

    private Problem(int status, String kind, String title, String detail, More more, Map<String, String> headers) {
        super(detail, null, false, false);
        this.status = status;
        this.kind = kind;
        this.title = title;
        this.more = more;
        this.headers = headers;
    }

    static Problem badRequest(String detail) {
        return new Problem(400, "bad-request", "Bad request", detail, More.NOTHING);
    }

    /** A value that breaks a rule. */
    static Problem invalid(String field, String rule) {
        return new Problem(
                400,
                "invalid-value",
                "Invalid value",
                field + " " + rule,
                new More(List.of(new Views.Field(field, rule)), null, null));
    }

    /** Names that mean nothing here; nothing was done. */
    static Problem unknown(String prefix, Collection<String> names) {
        return new Problem(
                400,
                "unknown-name",
                "Unknown name",
                prefix + String.join(", " + prefix, names) + " is not known here, so nothing was done",
                new More(
                        names.stream()
                                .map(name -> new Views.Field(prefix + name, "is not known"))
                                .toList(),
                        null,
                        null));
    }

    static Problem notFound(String detail) {
        return new Problem(404, "not-found", "Not found", detail, More.NOTHING);
    }

    /** Some of several events are not there; nothing was changed. */
    static Problem missing(List<String> ids) {
        return new Problem(
                404,
                "not-found",
                "Not found",
                ids.size() == 1 ? "There is no such event" : "There are no such events; nothing was changed",
                new More(null, ids, null));
    }

    static Problem conflict(String kind, String detail) {
        return new Problem(409, kind, "Conflict", detail, More.NOTHING);
    }

    /** Some of several letters are in states that do not allow what was asked for; nothing was changed. */
    static Problem conflict(String kind, String detail, Map<String, DlqStatus> states) {
        return new Problem(409, kind, "Conflict", detail, new More(null, null, states));
    }

    static Problem unauthorized() {
        return new Problem(
                401,
                "unauthorized",
                "Unauthorized",
                "A token is needed: Authorization: Bearer …",
                More.NOTHING,
                Map.of("WWW-Authenticate", "Bearer"));
    }

    static Problem forbidden(String kind, String detail) {
        return new Problem(403, kind, "Forbidden", detail, More.NOTHING);
    }

    /** A search for what is hidden would find it out bit by bit. */
    static Problem masked(String field) {
        return new Problem(
                400,
                "masked",
                "Masked",
                field + " cannot be searched for, since a mask hides parts of it",
                new More(List.of(new Views.Field(field, "cannot be searched for")), null, null));
    }

    static Problem methodNotAllowed(List<String> allowed) {
        return new Problem(
                405,
                "method-not-allowed",
                "Method not allowed",
                "Here only " + String.join(", ", allowed) + " is possible",
                More.NOTHING,
                Map.of("Allow", String.join(", ", allowed)));
    }

    static Problem tooLarge(int most) {
        return new Problem(
                413, "too-large", "Too large", "The body must have at most " + most + " bytes here", More.NOTHING);
    }

    static Problem incomplete() {
        return new Problem(
                408, "incomplete", "Request timeout", "The body did not arrive, or not in time", More.NOTHING);
    }

    static Problem tooManyBodies(int most) {
        return new Problem(
                503,
                "too-many-bodies",
                "Service unavailable",
                "There are " + most + " requests with a body already; send this one again",
                More.NOTHING,
                Map.of("Retry-After", "2"));
    }

    static Problem unsupportedMediaType() {
        return new Problem(
                415,
                "unsupported-media-type",
                "Unsupported media type",
                "The body must be application/json",
                More.NOTHING);
    }

    static Problem unavailable() {
        return new Problem(
                503,
                "store-unavailable",
                "Service unavailable",
                "The outbox store failed; see the application's log",
                More.NOTHING);
    }

    static Problem tooManyReads(int most) {
        return new Problem(
                503,
                "too-many-reads",
                "Service unavailable",
                "There are " + most + " requests that read from the store already; send this one again",
                More.NOTHING,
                Map.of("Retry-After", "2"));
    }

    static Problem tooManyAnswers(int most) {
        return new Problem(
                503,
                "too-many-answers",
                "Service unavailable",
                "There are " + most + " large answers already that are being read; send this request again",
                More.NOTHING,
                Map.of("Retry-After", "2"));
    }

    static Problem tooManyStreams(int most) {
        return new Problem(
                503,
                "too-many-streams",
                "Service unavailable",
                "There are " + most + " streams already, or the server is closing; poll instead",
                More.NOTHING);
    }

    static Problem internal() {
        return new Problem(
                500, "internal", "Internal error", "The request failed; see the application's log", More.NOTHING);
    }

    String kind() {
        return kind;
    }

    boolean isRefusal() {
        return status == 401 || status == 403;
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    Views.ProblemDetail body(String instance) {
        return new Views.ProblemDetail(
                "urn:outbox:problem:" + kind,
                title,
                status,
                getMessage(),
                instance,
                more.fields(),
                more.missing(),
                more.states());
    }
}
