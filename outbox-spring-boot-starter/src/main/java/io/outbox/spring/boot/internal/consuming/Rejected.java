package io.outbox.spring.boot.internal.consuming;

/** Lets a transaction roll back in which a listener has refused what it was given, without having failed. */
public final class Rejected extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public Rejected() {
        super("The listener did not accept what it was given", null, false, false);
    }
}
