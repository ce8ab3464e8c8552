package io.outbox.soak.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * A fault that happened.
 *
 * @param target the name of a node, {@link #SERVER} or {@link #BROKER}
 * @param events the events whose rows it hit; empty if it hit none in particular
 */
public record Fault(FaultKind kind, String target, Set<String> events, Instant begin, Instant end) {

    public static final String SERVER = "server";
    public static final String BROKER = "broker";

    public Duration duration() {
        return Duration.between(begin, end);
    }
}
