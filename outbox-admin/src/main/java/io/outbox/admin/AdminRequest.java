package io.outbox.admin;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A request, as an adapter of a server hands it over.
 *
 * @param target the method, and the path with its query, as they stand in the request line
 * @param headers by name, in whatever case; of several values the first
 * @param body what follows the headers; read only for a call that has a body, by a caller who may make it
 * @param remote the address of the other end of the connection; {@code null} if that is not known for certain, as where
 * a
 *     server takes it from a header
 * @param caller who was authenticated by the server or a framework, or {@code null}
 */
public record AdminRequest(Target target, Map<String, String> headers, Body body, InetAddress remote, Caller caller) {

    /** The largest body that is read. */
    public static final int MAX_BODY_BYTES = 2 * 1024 * 1024;

    /** What follows the headers of a request. */
    @FunctionalInterface
    public interface Body {

        /**
         * Reads the body. Called once at most.
         *
         * @param most how many bytes are read at most
         * @throws IOException if the other end does not send it, or takes too long
         */
        byte[] read(int most) throws IOException;
    }

    /** The method, path and query of a request. */
    public record Target(String method, String path, Map<String, List<String>> query) {

        public Target {
            method = method.toUpperCase(Locale.ROOT);
            Objects.requireNonNull(path, "path");
            query = Map.copyOf(query);
        }

        /** Returns the target for a path and its raw query, which may be {@code null}. */
        public static Target of(String method, String path, String rawQuery) {
            return new Target(method, path, Query.parse(rawQuery));
        }
    }

    /** Creates a request with a body that is already in memory. */
    public AdminRequest(Target target, Map<String, String> headers, byte[] body, InetAddress remote, Caller caller) {
        this(target, headers, most -> body.length <= most ? body : Arrays.copyOf(body, most), remote, caller);
    }

    public AdminRequest {
        Objects.requireNonNull(target, "target");
        Map<String, String> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        byName.putAll(headers);
        headers = byName;
        Objects.requireNonNull(body, "body");
    }

    String header(String name) {
        return headers.get(name);
    }

    boolean isRead() {
        return target.method.equals("GET") || target.method.equals("HEAD");
    }

    boolean declaresBody() {
        String length = header("Content-Length");
        return header("Transfer-Encoding") != null
                || (length != null && !length.strip().equals("0"));
    }

    /** Leaves headers and body out. */
    @Override
    public String toString() {
        return "AdminRequest[" + target.method + " " + target.path + "]";
    }
}
