package io.outbox.admin;

/** What a caller may do. */
public enum Role {
    /** See events, their payloads included, and figures. */
    READ,
    /** Replay, resolve, delete, release, pause and resume. */
    OPERATE
}
