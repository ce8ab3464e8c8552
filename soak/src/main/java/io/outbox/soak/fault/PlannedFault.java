package io.outbox.soak.fault;

import java.time.Duration;

/**
 * A fault to come.
 *
 * @param quietBefore the time since the end of the one before
 * @param slot which of the nodes it hits, from 0; means nothing for a fault of the server
 * @param duration how long it lasts; zero for a fault that is over by itself
 */
public record PlannedFault(FaultKind kind, Duration quietBefore, int slot, Duration duration) {}
