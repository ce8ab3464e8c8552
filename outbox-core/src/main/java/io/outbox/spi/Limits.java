package io.outbox.spi;

/** Checks of numbers in requests. */
final class Limits {

    private Limits() {}

    static void requireAtLeastOne(long value, String name) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + value);
        }
    }
}
