package io.outbox.spi;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

/**
 * The terms on which a node holds events in a shared store.
 *
 * @param ownerId the node's name in the lock column; must differ between nodes
 * @param duration how long a lock lasts if it is not renewed
 */
public record Lease(String ownerId, Duration duration) {

    /** How long a lock lasts where nothing else is configured. */
    public static final Duration DEFAULT_DURATION = Duration.ofMinutes(5);

    private static final int MAX_OWNER_ID = 128;

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
    }

    /** Returns a lease under a name that no other node has. */
    public static Lease of(Duration duration) {
        return new Lease(
                "node-" + ProcessHandle.current().pid() + "-"
                        + UUID.randomUUID().toString().substring(0, 13),
                duration);
    }
}
