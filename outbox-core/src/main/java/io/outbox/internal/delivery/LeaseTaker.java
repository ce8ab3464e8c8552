package io.outbox.internal.delivery;

import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Lease;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/** Makes an engine hold events by locks in a store that other nodes share; once and for all. */
final class LeaseTaker {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final Leases leases;
    private final DeliveryBackend backend;
    private final Function<Lease, LeaseKeeper> startKeeper;

    LeaseTaker(Leases leases, DeliveryBackend backend, Function<Lease, LeaseKeeper> startKeeper) {
        this.leases = leases;
        this.backend = backend;
        this.startKeeper = startKeeper;
    }

    /** @throws IllegalStateException if the engine holds events under another lease */
    synchronized void holdUnder(Lease lease) {
        Lease current = leases.lease();
        if (current != null && !current.equals(lease)) {
            throw new IllegalStateException(
                    "The dispatcher holds events as " + current + ", so its poller cannot claim them as " + lease);
        }
        if (current == null) {
            sayWhatIsMissing();
            leases.keepBy(startKeeper.apply(lease));
        }
    }

    private void sayWhatIsMissing() {
        List<String> missing = Stream.of(
                        Map.entry(Capability.OWN_ON_WRITE, "events wait for the poller after their commit"),
                        Map.entry(Capability.RENEW, "a listener that takes longer than the lease is overtaken"),
                        Map.entry(Capability.RELEASE, "events that a node gives up wait for the end of its lease"),
                        Map.entry(Capability.FENCE, "late outcomes of a node that lost the event count"),
                        Map.entry(Capability.BATCH_OUTCOMES, "each outcome is a separate statement"))
                .filter(entry -> !backend.supports(entry.getKey()))
                .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
                .toList();
        if (!missing.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "This store claims events, but cannot do all that several nodes need; an OwnershipStore can."
                            + " Missing: {0}",
                    String.join(", ", missing));
        }
    }
}
