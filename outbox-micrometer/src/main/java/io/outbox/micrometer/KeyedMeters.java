package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import java.util.concurrent.atomic.AtomicLong;

/** The meters of order by key. */
final class KeyedMeters {

    private final Meters meters;
    final Counter taken;
    final Counter empty;
    final Counter parked;
    final Counter resumed;
    final Counter skipped;
    final Counter late;
    final AtomicLong oldestLagMs;

    KeyedMeters(Meters meters) {
        this.meters = meters;
        this.taken = claims("taken");
        this.empty = claims("empty");
        this.parked = meters.counter("keyed.parked", "Events that failed for good and block their key");
        this.resumed = meters.counter(
                "keyed.resumed", "Events that blocked their key and were delivered again by an operator");
        this.skipped =
                meters.counter("keyed.skipped", "Failed events that were skipped, so that their key could continue");
        this.late =
                meters.counter("keyed.late", "Events that were committed after a later one of their key was delivered");
        this.oldestLagMs = meters.level(
                "keyed.lag.oldest.ms", "Age of the oldest due event that is the first of its key, in milliseconds");
    }

    private Counter claims(String result) {
        return meters.counter(
                "keyed.claims",
                "Keys that were looked at, by whether there was anything for this node",
                "result",
                result);
    }
}
