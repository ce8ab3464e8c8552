package io.outbox.spring.boot.internal.listeners;

import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.internal.settings.OutboxSettings;

/** The lane that a listener has to itself: what is set for it, and all else as in its outbox. */
@FunctionalInterface
interface ListenerLane {

    LanePolicy in(OutboxSettings outbox);
}
