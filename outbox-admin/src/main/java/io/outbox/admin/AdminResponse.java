package io.outbox.admin;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answer to a request. Its headers are those that browsers are to heed, too.
 *
 * @param contentType what the body is, or {@code null} if there is none
 * @param stream what follows in place of a body, or {@code null}
 */
public record AdminResponse(
        int status, String contentType, Map<String, String> headers, byte[] body, AdminStream stream) {

    private static final Map<String, String> SECURITY = Map.of(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
                    + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options",
            "nosniff",
            "X-Frame-Options",
            "DENY",
            "Referrer-Policy",
            "no-referrer",
            "Cache-Control",
            "no-store");

    public AdminResponse {
        Map<String, String> all = new LinkedHashMap<>(SECURITY);
        all.putAll(headers);
        headers = Map.copyOf(all);
        body = body.clone();
    }

    public AdminResponse(int status, String contentType, Map<String, String> headers, byte[] body) {
        this(status, contentType, headers, body, null);
    }

    @Override
    public byte[] body() {
        return body.clone();
    }

    static AdminResponse json(int status, Object value) {
        return new AdminResponse(status, "application/json", Map.of(), Json.bytes(value));
    }

    static AdminResponse noContent() {
        return new AdminResponse(204, null, Map.of(), new byte[0]);
    }

    static AdminResponse redirect(String location) {
        return new AdminResponse(302, null, Map.of("Location", location), new byte[0]);
    }

    static AdminResponse of(Problem problem, String instance) {
        return new AdminResponse(
                problem.status(), "application/problem+json", problem.headers(), Json.bytes(problem.body(instance)));
    }
}
