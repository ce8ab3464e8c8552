package io.outbox.internal.completion;

import io.outbox.spi.DeliveryBackend;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that somebody else finishes events of this node, though it holds them without locks, as one that is alone
 * does: then another instance delivers from the same store, and events are delivered twice.
 *
 * <p>The evidence is an event that was in this node's hands alone, whose outcome was written for the first time and
 * changed nothing, and which the store says is DONE. It does not count if an earlier answer of the store got lost, if
 * the event may have been delivered here before, or if it is gone. Used by one thread at a time.
 */
final class Strangers {

    static final long PERIOD_NANOS = TimeUnit.MINUTES.toNanos(5);

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final int ENOUGH = 10;

    private final DeliveryBackend backend;
    private final LongSupplier nanoTime;
    private boolean told;
    private long toldAtNanos;

    Strangers(DeliveryBackend backend, LongSupplier nanoTime) {
        this.backend = backend;
        this.nanoTime = nanoTime;
    }

    /** Looks at outcomes that the store has answered with a refusal. */
    void lookAt(List<Completion> refused) {
        if (told && nanoTime.getAsLong() - toldAtNanos < PERIOD_NANOS) {
            return;
        }
        List<String> suspicious = refused.stream()
                .filter(completion ->
                        completion.holder() == null && completion.hold().isExclusive())
                .map(completion -> completion.hold().eventId())
                .limit(ENOUGH)
                .toList();
        if (!suspicious.isEmpty()) {
            doneAmong(suspicious).stream().findFirst().ifPresent(this::tell);
        }
    }

    private Collection<String> doneAmong(List<String> eventIds) {
        try {
            return backend.doneAmong(eventIds);
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The store cannot report which events are DONE after it refused their outcomes", e);
            return List.of();
        }
    }

    private void tell(String eventId) {
        told = true;
        toldAtNanos = nanoTime.getAsLong();
        LOG.log(
                Level.WARNING,
                "Event {0} was delivered here and finished elsewhere: another instance seems to run in single-node"
                        + " mode on the same table, so events are delivered twice. Use multi-node mode"
                        + " (Outbox.multiNode(), outbox.mode=multi-node)",
                eventId);
    }
}
