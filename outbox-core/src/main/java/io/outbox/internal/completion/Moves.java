package io.outbox.internal.completion;

import io.outbox.model.OutboxEvent;
import java.time.Duration;
import java.util.List;

/** Told of events that become dead letters by the write that lets them die. */
public interface Moves {

    /** Told of the events that died by one write, as they are stored, after its commit. */
    void made(List<OutboxEvent> events, Duration writeTook);

    /** Told of how many events would have died by a write that failed; it is tried again. */
    void failed(int events);
}
