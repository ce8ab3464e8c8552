package io.outbox.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The terms on which a node holds events in a shared store.
 *
 * <p>A hold has a token besides the name of its node. A node that does not know what became of a call takes the next
 * token for whatever it claims or writes from then on. So a late repetition of that call never counts for a newer hold
 * of the same event, and the node can tell what it knows of from what a lost answer left behind.
 *
 * @param ownerId the node's name; must differ between nodes
 * @param duration how long a lock lasts if it is not renewed
 * @param token which of this node's holds it is; 0 until an answer gets lost
 */
public record Lease(String ownerId, Duration duration, long token) {

    /** How long a lock lasts where nothing else is configured. */
    public static final Duration DEFAULT_DURATION = Duration.ofMinutes(5);

    private static final int MAX_OWNER_ID = 128;
    /** Leaves room for the longest token behind it. */
    private static final int MAX_NAME_BEFORE_TOKEN = 100;

    private static final String BEFORE_TOKEN = "#~";
    private static final Pattern TOKEN = Pattern.compile(BEFORE_TOKEN + "[0-9]+$");

    public Lease {
        Objects.requireNonNull(ownerId, "ownerId");
        Objects.requireNonNull(duration, "lockTimeout");
        if (ownerId.isBlank() || ownerId.length() > MAX_OWNER_ID) {
            throw new IllegalArgumentException(
                    "ownerId must have 1 to " + MAX_OWNER_ID + " characters and not be blank: '" + ownerId + "'");
        }
        if (duration.compareTo(Duration.ofMillis(1)) < 0) {
            throw new IllegalArgumentException("lockTimeout must be positive: " + duration);
        }
        Limits.notNegative(token, "token");
    }

    /** A lease with the first token. */
    public Lease(String ownerId, Duration duration) {
        this(ownerId, duration, 0);
    }

    /** Returns a lease under a name that no other node has. */
    public static Lease of(Duration duration) {
        return new Lease(
                "node-" + ProcessHandle.current().pid() + "-"
                        + UUID.randomUUID().toString().substring(0, 13),
                duration);
    }

    /** Returns the lease with another token. */
    public Lease withToken(long other) {
        return other == token ? this : new Lease(ownerId, duration, other);
    }

    /** Returns what stands in the lock column: the node's name, and the token once an answer got lost. */
    public String holder() {
        return token == 0 ? ownerId : nameBeforeToken() + BEFORE_TOKEN + token;
    }

    /** Returns whether the holder of a lock is this node, under whichever token. */
    public boolean isHeldBy(String holder) {
        return holder.equals(ownerId) || holder.startsWith(holderPrefix());
    }

    /** Returns how the names begin under which this node holds events after an answer got lost. */
    public String holderPrefix() {
        return nameBeforeToken() + BEFORE_TOKEN;
    }

    private String nameBeforeToken() {
        return ownerId.length() <= MAX_NAME_BEFORE_TOKEN
                ? ownerId
                : ownerId.substring(0, MAX_NAME_BEFORE_TOKEN - 9) + "~" + Integer.toHexString(ownerId.hashCode());
    }

    /** Returns the node's name in what stands in the lock column, if anything does. */
    public static @Nullable String nodeOf(@Nullable String holder) {
        return holder == null ? null : TOKEN.matcher(holder).replaceFirst("");
    }
}
