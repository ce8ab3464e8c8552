package io.outbox.dispatch;

/** How much of the stack trace of a failed attempt is stored with the event, beside its exception and all causes. */
public enum StackTraces {
    /** None of it. */
    NONE,
    /** The place where it failed, and the frames that are neither of the JDK nor of a framework. The default. */
    SHORT,
    /** All frames that fit. */
    FULL
}
