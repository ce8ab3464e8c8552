package io.outbox.model;

/**
 * The state of a dead letter. An operator changes {@link #MOVED} to {@link #TO_RETRY} or to {@link #RESOLVED}; no other
 * change is legal.
 */
public enum DlqStatus {
    /** Moved out of the outbox, and waiting for somebody to look at it. */
    MOVED(0),
    /** In the hands of a transfer. Nobody sets it, and since a transfer is one transaction, nobody sees it. */
    IN_PROCESS(1),
    /** Approved, and waiting to be returned to the outbox. */
    TO_RETRY(2),
    /** Settled: it is not delivered, and deleted after its retention. */
    RESOLVED(3);

    private final int code;

    DlqStatus(int code) {
        this.code = code;
    }

    /** Returns the value stored in the status column. */
    public int code() {
        return code;
    }

    /** Returns whether an operator may change a letter of this state to the other one. */
    public boolean mayBecome(DlqStatus other) {
        return this == MOVED && (other == TO_RETRY || other == RESOLVED);
    }

    /** Returns the status stored as {@code code}. */
    public static DlqStatus fromCode(int code) {
        for (DlqStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("unknown status code of a dead letter: " + code);
    }
}
