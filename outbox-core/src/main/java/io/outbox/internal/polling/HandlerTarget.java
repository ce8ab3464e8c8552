package io.outbox.internal.polling;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.watch.Isolation;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * A handler of the application's own as the poller's target. What the poller has to give back or to bury is written by
 * itself, and again before the next page if the store did not take it.
 */
final class HandlerTarget implements PollTarget {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final OutboxPollerHandler handler;
    private final DeliveryBackend backend;
    private final EngineMetrics metrics;
    private final StoreWatch watch = new StoreWatch();
    private final PollFeed feed = new WholeFeed();
    private final List<String> toRelease = new ArrayList<>();
    private final Map<String, Outcome> toBury = new LinkedHashMap<>();
    private final Outage outage = new Outage(
            LOG,
            Level.WARNING,
            "Cannot release events or mark them DEAD; the next cycle tries again",
            "Events are released and marked DEAD again");
    private Lease lease;

    HandlerTarget(OutboxPollerHandler handler, DeliveryBackend backend, EngineMetrics metrics) {
        this.handler = handler;
        this.backend = backend;
        this.metrics = metrics;
    }

    private final class WholeFeed implements PollFeed {
        @Override
        public EventTypes types() {
            return EventTypes.ALL;
        }

        @Override
        public int availableCapacity() {
            return handler.availableCapacity();
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            // the next interval will tell
        }

        /** A handler need not tell its capacity. */
        @Override
        public boolean hasBoundedRoom() {
            return false;
        }
    }

    @Override
    public List<PollFeed> feeds() {
        return List.of(feed);
    }

    @Override
    public StoreWatch watch() {
        return watch;
    }

    @Override
    public void connect(Alarm alarm) {
        // a plain handler knows of no due times
    }

    @Override
    public void claimingUnder(Lease claimed) {
        this.lease = claimed;
    }

    /** Always the same: who handles the events knows the name of the node only. */
    @Override
    public Lease lease() {
        return lease;
    }

    /** Nobody knows which events the handler still has. */
    @Override
    public Optional<Set<String>> heldBy(Set<String> holders) {
        return Optional.empty();
    }

    @Override
    public void scanStarted() {
        writeLeftovers();
    }

    @Override
    public void scanEnded() {
        writeLeftovers();
    }

    @Override
    public void storeIsAhead(Duration difference) {
        // a plain handler sets no due times
    }

    @Override
    public boolean offer(List<FoundEvent> events, Claim claim, IntConsumer taken) {
        int handled = 0;
        try {
            while (handled < events.size() && handle(events.get(handled))) {
                handled++;
            }
            return handled == events.size();
        } finally {
            taken.accept(handled);
            if (claim.holder() != null) {
                giveBack(PollTarget.rows(events.subList(handled, events.size())), claim);
            }
        }
    }

    private boolean handle(FoundEvent event) {
        return handler.handle(event.envelope(), event.row().event().attempts());
    }

    @Override
    public void giveBack(List<DueEvent> rows, Claim claim) {
        if (backend.supports(Capability.RELEASE)) {
            rows.forEach(row -> toRelease.add(row.eventId()));
        }
    }

    @Override
    public void bury(DueEvent row, Claim claim, RuntimeException reason) {
        toBury.put(row.eventId(), new Outcome.Dead(row.eventId(), reason.toString()));
    }

    private void writeLeftovers() {
        if (tryWrite(this::buryAll) & tryWrite(this::releaseAll)) {
            outage.over();
        }
    }

    private void buryAll() {
        if (!toBury.isEmpty()) {
            List<Outcome> locked = Isolation.run(
                    List.copyOf(toBury.values()),
                    Outcome::eventId,
                    part -> backend.apply(ownerId(), part).keySet().forEach(id -> metrics.incrementDispatchDead()));
            toBury.clear();
            locked.forEach(outcome -> toBury.put(outcome.eventId(), outcome));
        }
    }

    private void releaseAll() {
        if (!toRelease.isEmpty()) {
            List<String> locked =
                    Isolation.run(List.copyOf(toRelease), eventId -> eventId, part -> backend.release(ownerId(), part));
            toRelease.clear();
            toRelease.addAll(locked);
        }
    }

    private String ownerId() {
        return lease == null ? null : lease.ownerId();
    }

    private boolean tryWrite(Runnable write) {
        try {
            write.run();
            return true;
        } catch (RuntimeException e) {
            outage.failed(e);
            return false;
        }
    }
}
