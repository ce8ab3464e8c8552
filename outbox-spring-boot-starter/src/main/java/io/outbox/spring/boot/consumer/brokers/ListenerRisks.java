package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.lang.System.Logger.Level;

/** What is said at start-up about listeners that are idempotent, but not set up to be so. */
final class ListenerRisks {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private ListenerRisks() {}

    /** Warns of acknowledgements that do not wait for the listener. */
    public static void warnOfLoss(String listener, String setting, String remedy) {
        LOG.log(
                Level.WARNING,
                "The idempotent listener {0} can lose messages: with {1} they count as received before they were consumed;"
                        + " {2}",
                listener,
                setting,
                remedy);
    }

    /** Warns of a handler that takes failures away from the transaction. */
    public static void warnOfErrorHandler(String listener, String setting) {
        LOG.log(
                Level.WARNING,
                "The idempotent listener {0} has {1}: a failure that it turns into a result does not roll the"
                        + " transaction back, which commits what the listener did until then; let it throw, or handle"
                        + " failures in the container",
                listener,
                setting);
    }

    /** Refuses a listener that goes on after it has returned. */
    public static void requireSynchronous(String listener, boolean isAsynchronous) {
        if (isAsynchronous) {
            throw new OutboxStartupException(
                    "The listener " + listener + " has @Idempotent, but returns before it has finished, so that its"
                            + " transaction would end too early",
                    "Let it return its result itself, not a CompletableFuture or Mono");
        }
    }

    /** Refuses a listener that is called in a way that we do not know. */
    public static OutboxStartupException unknownKind(String listener, Object found) {
        return new OutboxStartupException(
                "The listener " + listener + " has @Idempotent, but is called by "
                        + (found == null ? "nothing" : found.getClass().getName()) + ", which is not known here",
                "Remove @Idempotent and call OutboxIdempotentConsumer.consume(…) in the listener");
    }
}
