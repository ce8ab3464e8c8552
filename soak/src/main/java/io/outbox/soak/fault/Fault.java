package io.outbox.soak.fault;

import java.time.Duration;
import java.time.Instant;

/** A fault that happened. The target is the name of a node, or {@link #SERVER}. */
public record Fault(FaultKind kind, String target, Instant begin, Instant end) {

    public static final String SERVER = "server";

    public Duration duration() {
        return Duration.between(begin, end);
    }
}
