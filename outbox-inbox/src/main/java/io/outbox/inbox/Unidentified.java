package io.outbox.inbox;

/** How messages are treated whose event id is missing, blank or malformed. */
public enum Unidentified {
    /** The call ends with an {@link InvalidEventIdException}, before any transaction begins. */
    REFUSE,
    /** The operation runs for them in the transaction, every time that they are delivered. */
    PASS_ON
}
