package io.outbox.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * A Lua script, and the name under which Redis remembers it.
 *
 * <p>A script says in its first line what it may do. One that stores new events is refused while the server's memory is
 * full; those that deliver, complete and delete are not, since they are what frees memory.
 */
record Script(String name, String source, String sha) {

    private static final String STORES = "#!lua\n";
    private static final String CHANGES = "#!lua flags=allow-oom\n";
    private static final String READS = "#!lua flags=no-writes\n";
    private static final String APPENDING_ONE = load("append-one");
    private static final String APPENDING = load("common") + load("append");
    private static final String APPEND_WITH = load("append-with");
    private static final Script APPEND_ONE = new Script("append-one", STORES + APPENDING_ONE + load("append-alone"));

    private static final Script APPEND = of(STORES, "append", "append-alone");
    static final Script START = of(READS, "start");
    static final Script CLAIM = of(CHANGES, "walk", "claim");
    static final Script FETCH = of(READS, "walk", "fetch");
    static final Script APPLY = of(CHANGES, "apply");
    static final Script RENEW = of(CHANGES, "renew");
    static final Script RELEASE = of(CHANGES, "release");
    static final Script DONE_AMONG = of(READS, "done-among");
    static final Script DUE_TIMES = of(READS, "due-times");
    static final Script DUE_TYPES = of(READS, "due-types");
    static final Script BACKLOG = of(READS, "backlog");
    static final Script PURGE = of(CHANGES, "purge");
    static final Script DEAD_PAGE = of(READS, "dead-page");
    static final Script REPLAY = of(CHANGES, "replay");
    static final Script VERIFY = of(READS, "verify");
    static final Script REPAIR = of(CHANGES, "verify");

    private static Script of(String firstLine, String... parts) {
        StringBuilder source = new StringBuilder(firstLine).append(load("common"));
        for (String part : parts) {
            source.append(load(part));
        }
        return new Script(parts[parts.length - 1], source.toString());
    }

    private Script(String name, String source) {
        this(name, source, sha1(source));
    }

    /** Returns the script that stores so many events. */
    static Script append(int events) {
        return events == 1 ? APPEND_ONE : APPEND;
    }

    /** Returns the script that runs a part of the application, which sees none of our names, and the append as one. */
    static Script appendWith(String application, int events) {
        String appending = events == 1 ? APPENDING_ONE : APPENDING;
        String body = "do\n" + application + "\nend\nreturn FALLEN_OFF\n";
        return new Script(
                "of the application",
                STORES + "local FALLEN_OFF = {}\nlocal function application(KEYS, ARGV, FALLEN_OFF)\n" + body + "end\n"
                        + appending + APPEND_WITH);
    }

    /** Reads a part without what only people need: it is sent whole inside of every transaction. */
    private static String load(String name) {
        try (InputStream part = Script.class.getResourceAsStream(name + ".lua")) {
            return new String(part.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("--"))
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(name + ".lua cannot be read", e);
        }
    }

    private static String sha1(String source) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    @Override
    public String toString() {
        return "script '" + name + "'";
    }
}
