package io.outbox.spring.boot.consumer.brokers;

/** Lets a transaction roll back in which a listener has refused what it was given, without having failed. */
final class Rejected extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Rejected() {
        super("The listener did not accept what it was given", null, false, false);
    }
}
