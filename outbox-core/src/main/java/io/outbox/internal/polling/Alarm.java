package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import java.time.Instant;

/** Tells the poller that events are due, or will be. Never blocks for long, never throws. */
public interface Alarm {

    /** Events of these types become due at the given instant. */
    void dueAt(EventTypes types, Instant due);

    /** Events of these types may be due now, wherever they stand among the others: those given back, for instance. */
    void dueNow(EventTypes types);

    /** Events of these types are due that have to wait for others anyway: those for which there was no room. */
    void dueSoon(EventTypes types);

    /** Events of these types are worth a look after a delay. */
    void dueIn(EventTypes types, long delayMs);

    /**
     * Events of these types may be locked under this name, now or a little later, which nobody on this node holds: a
     * commit whose end is unknown can take effect after they were given back.
     */
    default void leftBehind(EventTypes types, String holder) {}

    /** Events of these types are due, and for other nodes to find; the poller of this one has no use for them. */
    default void dueElsewhere(EventTypes types) {}
}
