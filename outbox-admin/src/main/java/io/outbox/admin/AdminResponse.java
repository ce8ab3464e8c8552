package io.outbox.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The answer to a request. Its headers are those that browsers are to heed, too.
 *
 * @param contentType what the body is, or {@code null} if there is none
 * @param body what is answered, possibly nothing
 * @param stream what follows in place of a body, or {@code null}
 */
public record AdminResponse(
        int status, String contentType, Map<String, String> headers, Body body, AdminStream stream) {

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
            "Cross-Origin-Resource-Policy",
            "same-origin",
            "Cross-Origin-Opener-Policy",
            "same-origin",
            "Cache-Control",
            "no-store");

    /** The content of a response. It may be too large to be kept in memory. */
    public interface Body {

        /** Returns how many bytes there are, or -1 if that is not known before they are written. */
        long length();

        /**
         * Writes the bytes.
         *
         * @throws IOException if the other end is gone, or if the rest cannot be found; what was written is then not
         * whole
         */
        void writeTo(OutputStream out) throws IOException;
    }

    /** Bytes that are there already. */
    private record Known(byte[] bytes) implements Body {

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
        }
    }

    /** Writes what is found little by little. */
    interface Writer {
        void writeTo(OutputStream out) throws IOException;
    }

    private record Found(Writer writer) implements Body {

        @Override
        public long length() {
            return -1;
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            try {
                writer.writeTo(out);
            } catch (RuntimeException e) {
                throw new IOException("The administration of the outbox cannot find the rest of an answer", e);
            }
        }
    }

    public AdminResponse {
        Map<String, String> all = new LinkedHashMap<>(SECURITY);
        all.putAll(headers);
        headers = Map.copyOf(all);
        Objects.requireNonNull(body, "body");
    }

    /** Creates a response with a body in memory, which is not copied. */
    public AdminResponse(int status, String contentType, Map<String, String> headers, byte[] body) {
        this(status, contentType, headers, new Known(body), null);
    }

    AdminResponse with(Body replacement) {
        return new AdminResponse(status, contentType, headers, replacement, stream);
    }

    /** Returns the whole body. */
    public byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            body.writeTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static AdminResponse json(int status, Object value) {
        return new AdminResponse(status, "application/json", Map.of(), Json.bytes(value));
    }

    /** JSON that is written little by little. */
    static AdminResponse json(int status, Writer writer) {
        return new AdminResponse(status, "application/json", Map.of(), new Found(writer), null);
    }

    static AdminResponse noContent() {
        return new AdminResponse(204, null, Map.of(), new byte[0]);
    }

    static AdminResponse redirect(String location) {
        return new AdminResponse(302, null, Map.of("Location", location), new byte[0]);
    }

    /** Creates a response that stays open and has additional headers. */
    static AdminResponse streamed(String contentType, Map<String, String> headers, AdminStream stream) {
        return new AdminResponse(200, contentType, headers, new Known(new byte[0]), stream);
    }

    static AdminResponse of(Problem problem, String instance) {
        return new AdminResponse(
                problem.status(), "application/problem+json", problem.headers(), Json.bytes(problem.body(instance)));
    }
}
