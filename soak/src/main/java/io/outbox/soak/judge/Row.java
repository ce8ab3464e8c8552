package io.outbox.soak.judge;

/** A stored event; {@code lockedBy} is {@code null} if nobody holds it. */
public record Row(String eventId, int status, int attempts, String lockedBy) {

    public static final int DONE = 1;
    public static final int DEAD = 3;

    /** Whether a node holds it, be it by its bare name or with something behind it that tells its holds apart. */
    public boolean isLockedBy(String node) {
        return lockedBy != null && (lockedBy.equals(node) || lockedBy.startsWith(node + "#"));
    }
}
