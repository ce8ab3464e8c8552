package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Says once how events of a key keep their order on their way to a broker: with the first event that has a key, since routes
 * and keys are not known before. Says nothing where {@code outbox.ordering} is set, to whichever value.
 */
final class OrderHint {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final String ORDERING = "outbox.ordering";

    private final AtomicBoolean isDone;

    OrderHint(ExplicitSettings explicit) {
        this.isDone = new AtomicBoolean(explicit.has(ORDERING));
    }

    /** Looks at an event that is written for a broker. */
    void written(EventEnvelope event, SenderType broker) {
        if (event.key() != null && !event.isDelayed() && isDone.compareAndSet(false, true)) {
            LOG.log(
                    Level.INFO,
                    "Events with a key, such as those of type {0}, go to {1} in no particular order: one that is tried again, or"
                            + " that another instance delivers, can arrive after a later one of its key. To deliver events of a"
                            + " key in the order in which they were written, set outbox.ordering=key; if their order does not"
                            + " matter, set outbox.ordering=none",
                    event.eventType(),
                    broker);
        }
    }
}
