package io.outbox.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What failures of one kind have in common: a hash of the classes of an exception and its causes and of the first line
 * of the root cause, without what differs from event to event, which is text in quotes, ids in hexadecimal digits, and
 * numbers. An error without causes is known by its first line alone.
 */
public final class Fingerprint {

    /** The length of a fingerprint in characters. */
    public static final int LENGTH = 16;

    private static final int LONGEST = 500;
    private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`");
    private static final Pattern ID = Pattern.compile(
            "(?i)\\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]+|[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{12,})\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private Fingerprint() {}

    /** Returns the fingerprint of an error; missing and blank errors share one. */
    public static String of(@Nullable String error) {
        return hash(shape(error));
    }

    /** Returns what the error has in common with others, with placeholders for what differs from event to event. */
    static String shape(@Nullable String error) {
        FailureText text = FailureText.of(error);
        String line = FailureText.firstLine(text.root());
        String start = line.length() > LONGEST ? line.substring(0, LONGEST) : line;
        String unquoted = QUOTED.matcher(start).replaceAll("?");
        String root = NUMBER.matcher(ID.matcher(unquoted).replaceAll("#")).replaceAll("#");
        return Stream.concat(Stream.of(root), text.classesAboveRoot().stream()).collect(Collectors.joining("\n"));
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
