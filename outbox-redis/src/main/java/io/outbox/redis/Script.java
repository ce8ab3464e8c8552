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
    private static final String APPENDING_ONE_KEYED = APPENDING_ONE + load("append-one-keyed");
    private static final String APPENDING = load("common") + load("append");
    private static final String APPENDING_KEYED =
            load("common") + load("keyed") + load("append") + load("append-keyed");
    private static final String APPEND_WITH = load("append-with");
    private static final Script APPEND_ONE = new Script("append-one", STORES + APPENDING_ONE + load("append-alone"));

    private static final Script APPEND = new Script("append", STORES + APPENDING + load("append-alone"));
    private static final Script APPEND_ONE_KEYED =
            new Script("append-one-keyed", STORES + APPENDING_ONE_KEYED + load("append-alone"));
    private static final Script APPEND_KEYED =
            new Script("append-keyed", STORES + APPENDING_KEYED + load("append-alone"));
    static final Script KNOWN_IDS = new Script("known-ids", CHANGES + load("known-ids"));
    static final Script START = of(READS, "start");
    static final Script CLAIM = of(CHANGES, "walk", "read-set", "claim");
    static final Script CLAIM_KEYED = of(CHANGES, "keyed", "read-set", "claim-keyed");
    static final Script FETCH_KEYED = of(READS, "keyed", "read-set", "claim-keyed");
    static final Script KEY_HEADS = of(READS, "keyed", "key-heads");
    static final Script BLOCKED_KEYS = of(READS, "keyed", "blocked-keys");
    static final Script DROP_ORDER = of(CHANGES, "keyed", "drop-order");
    static final Script FETCH = of(READS, "walk", "fetch");
    static final Script APPLY = of(CHANGES, "keyed", "apply");
    static final Script RENEW = of(CHANGES, "keyed", "renew");
    static final Script RELEASE = of(CHANGES, "keyed", "release");
    static final Script DONE_AMONG = of(READS, "done-among");
    static final Script LOOK_UP = of(READS, "keyed", "look-up");
    static final Script DUE_TIMES = of(READS, "due-times");
    static final Script DUE_TYPES = of(READS, "due-types");
    static final Script BACKLOG = of(READS, "keyed", "backlog");
    static final Script PURGE = of(CHANGES, "purge");
    static final Script DEAD_PAGE = of(READS, "dead-page");
    static final Script REPLAY = of(CHANGES, "keyed", "replay");
    static final Script VERIFY = of(READS, "keyed", "verify");
    static final Script REPAIR = of(CHANGES, "keyed", "verify");

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

    /** Returns the script that stores these events. */
    static Script append(NewEvents events) {
        if (events.size() == 1) {
            return events.areKeyed() ? APPEND_ONE_KEYED : APPEND_ONE;
        }
        return events.areKeyed() ? APPEND_KEYED : APPEND;
    }

    /** Returns the script that runs a part of the application, which sees none of our names, and the append as one. */
    static Script appendWith(String application, NewEvents events) {
        String body = "do\n" + application + "\nend\nreturn FALLEN_OFF\n";
        return new Script(
                "of the application",
                STORES + "local FALLEN_OFF = {}\nlocal function application(KEYS, ARGV, FALLEN_OFF)\n" + body + "end\n"
                        + appending(events) + APPEND_WITH);
    }

    private static String appending(NewEvents events) {
        if (events.size() == 1) {
            return events.areKeyed() ? APPENDING_ONE_KEYED : APPENDING_ONE;
        }
        return events.areKeyed() ? APPENDING_KEYED : APPENDING;
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
