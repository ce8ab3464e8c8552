package io.outbox.samples.demo.shop;

import java.util.concurrent.ThreadLocalRandom;

/** Trace contexts as a tracing library would put them into the headers of events (W3C trace context). */
final class Trace {

    static final String HEADER = "traceparent";

    private Trace() {}

    static String start() {
        return "00-" + hex() + hex() + "-" + hex() + "-01";
    }

    /** Returns another step of the same trace. */
    static String following(String traceparent) {
        return traceparent.substring(0, 36) + hex() + "-01";
    }

    private static String hex() {
        return String.format("%016x", ThreadLocalRandom.current().nextLong());
    }
}
