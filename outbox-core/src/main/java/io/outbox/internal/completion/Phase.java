package io.outbox.internal.completion;

/** Where a {@link CompletionWriter} is between its beginning and its end. */
enum Phase {
    /** Nobody writes but those who ask for it. */
    NOT_STARTED,
    RUNNING,
    /** The thread writes what is left. */
    CLOSING,
    /** The thread has ended, or is given up on. What comes now is written by those who bring it. */
    CLOSED;

    boolean isEnd() {
        return this == CLOSING || this == CLOSED;
    }
}
