package io.outbox.admin;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;

/** What tells one content from another, so that nobody is sent what they have already. */
final class Tag {

    private static final int HASH_BYTES = 12;

    private Tag() {}

    /** Returns the tag of a content; a weak one, since it is the same however the content is compressed. */
    static String of(byte[] content) {
        return "W/\"" + hash(content) + "\"";
    }

    static String hash(byte[] content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }

    /** Returns whether who asks has what the tag stands for. */
    static boolean isKnown(AdminRequest request, String tag) {
        String known = request.header("If-None-Match");
        return known != null
                && Arrays.stream(known.split(","))
                        .map(String::strip)
                        .anyMatch(each -> each.equals(tag) || each.equals("*"));
    }

    /** Returns JSON with its tag, or that nothing has changed; nobody else keeps it. */
    static AdminResponse json(AdminRequest request, Object value) {
        byte[] content = Json.bytes(value);
        String tag = of(content);
        Map<String, String> headers = Map.of("ETag", tag);
        return isKnown(request, tag)
                ? new AdminResponse(304, null, headers, new byte[0])
                : new AdminResponse(200, "application/json", headers, content);
    }
}
