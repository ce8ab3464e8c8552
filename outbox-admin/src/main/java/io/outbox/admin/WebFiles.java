package io.outbox.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of the dashboard, which are in the jar. */
final class WebFiles {

    private static final String ROOT = "/META-INF/outbox-admin/web/";
    private static final String INDEX = "index.html";
    private static final Pattern NAME =
            Pattern.compile("([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\\.(?<extension>[a-z0-9]+)");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "mjs", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "woff2", "font/woff2",
            "json", "application/json",
            "txt", "text/plain; charset=utf-8");

    private WebFiles() {}

    /** Returns the file, the start page if none is named, or {@code null}. */
    static AdminResponse find(String path) {
        String name = path.isEmpty() ? INDEX : path;
        Matcher matcher = NAME.matcher(name);
        String type = matcher.matches() ? TYPES.get(matcher.group("extension")) : null;
        byte[] content = type == null ? null : read(ROOT + name);
        return content == null ? null : new AdminResponse(200, type, Map.of(), content);
    }

    static byte[] read(String resource) {
        try (InputStream in = WebFiles.class.getResourceAsStream(resource)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
