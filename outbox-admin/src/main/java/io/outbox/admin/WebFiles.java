package io.outbox.admin;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/**
 * The files of the dashboard, which are in the jar.
 *
 * <p>The start page names the others below a folder that changes with their content, so a browser may keep those for
 * good, and asks on its next visit for one file only. What is asked for by its plain name is compared by its tag. A
 * file is read and compressed once.
 */
final class WebFiles {

    private static final String ROOT = "/META-INF/outbox-admin/web/";
    private static final String INDEX = "index.html";
    private static final int LONGEST_NAME = 200;
    private static final Pattern NAME =
            Pattern.compile("([A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9._-]*\\.(?<extension>[a-z0-9]+)");
    private static final Pattern NAMED = Pattern.compile("(href|src)=\"((?:css|js|lib)/[^\"]+)\"");
    private static final String KEPT = "private, max-age=31536000, immutable";
    private static final String COMPARED = "no-cache";
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

    /** A file as it is sent. */
    private record File(String type, byte[] plain, byte[] compressed, String tag) {}

    /** What is in the jar does not change while it is used. */
    private static final class Kept {

        static final String FOLDER = folder();
        static final Map<String, File> FILES = new ConcurrentHashMap<>();

        private static String folder() {
            String content = NAMED.matcher(text(INDEX))
                    .results()
                    .map(file -> text(file.group(2)))
                    .collect(Collectors.joining("\n"));
            return "v-" + Tag.hash(content.getBytes(StandardCharsets.UTF_8)) + "/";
        }

        private static String text(String name) {
            return new String(read(ROOT + name), StandardCharsets.UTF_8);
        }
    }

    private WebFiles() {}

    /** Returns the file, the start page if none is named, or {@code null}. */
    static AdminResponse find(String path, AdminRequest request) {
        boolean isKept = path.startsWith(Kept.FOLDER);
        File file = file(isKept ? path.substring(Kept.FOLDER.length()) : path);
        if (file == null) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        headers.put("Cache-Control", isKept ? KEPT : COMPARED);
        headers.put("ETag", file.tag);
        headers.put("Vary", "Accept-Encoding");
        if (Tag.isKnown(request, file.tag)) {
            return new AdminResponse(304, null, headers, new byte[0]);
        }
        String accepted = request.header("Accept-Encoding");
        if (accepted == null || !accepted.contains("gzip") || file.compressed.length >= file.plain.length) {
            return new AdminResponse(200, file.type, headers, file.plain);
        }
        headers.put("Content-Encoding", "gzip");
        return new AdminResponse(200, file.type, headers, file.compressed);
    }

    private static File file(String path) {
        String name = path.isEmpty() ? INDEX : path;
        if (name.length() > LONGEST_NAME) {
            return null;
        }
        Matcher matcher = NAME.matcher(name);
        String type = matcher.matches() ? TYPES.get(matcher.group("extension")) : null;
        return type == null ? null : Kept.FILES.computeIfAbsent(name, each -> load(each, type));
    }

    private static File load(String name, String type) {
        byte[] content = read(ROOT + name);
        if (content == null) {
            return null;
        }
        byte[] plain = name.equals(INDEX)
                ? NAMED.matcher(new String(content, StandardCharsets.UTF_8))
                        .replaceAll("$1=\"" + Kept.FOLDER + "$2\"")
                        .getBytes(StandardCharsets.UTF_8)
                : content;
        return new File(type, plain, compressed(plain), Tag.of(plain));
    }

    private static byte[] compressed(byte[] plain) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    static byte[] read(String resource) {
        try (InputStream in = WebFiles.class.getResourceAsStream(resource)) {
            return in == null ? null : in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
