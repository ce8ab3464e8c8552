package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.OutboxBackendException;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.Optional;

/**
 * This node, and whether it knows of others.
 *
 * @param isShared whether other nodes on the store can be known
 * @param problem why they are not, in words for operators; {@code null} if nothing is wrong
 */
record Membership(Member member, boolean isShared, String problem) {

    private static final System.Logger LOG = System.getLogger(Membership.class.getName());

    /**
     * What the administration is told of this node.
     *
     * @param name the node's name, or {@code null} for the one under which it locks events, or that of its machine
     * @param isAlone whether the node wants nothing to do with others
     */
    record Settings(
            String name, boolean isAlone, OutboxSeries series, Clock clock, Member.Pace pace, PayloadMask mask) {}

    /** Prepares the store for it; a store that cannot be prepared makes a node that is alone, and says why. */
    static Membership of(Outbox outbox, InspectionBackend inspection, Settings settings) {
        String name = settings.name != null ? settings.name : outbox.nodeName().orElseGet(NodeReport::hostName);
        Optional<ClusterBackend> shared = settings.isAlone ? Optional.empty() : inspection.cluster();
        String problem = null;
        if (shared.isPresent()) {
            try {
                shared.get().prepare();
            } catch (OutboxBackendException e) {
                LOG.log(
                        Level.WARNING,
                        "The administration shows only this node. Pauses and bulk actions apply only to it, and end when it"
                                + " stops: the tables that nodes share cannot be used",
                        e);
                problem = "The tables that nodes share cannot be used; see the application's log";
                shared = Optional.empty();
            }
        }
        ClusterBackend cluster = shared.orElseGet(() -> new MemoryCluster(settings.clock));
        return new Membership(new Member(outbox, cluster, name, settings), shared.isPresent(), problem);
    }
}
