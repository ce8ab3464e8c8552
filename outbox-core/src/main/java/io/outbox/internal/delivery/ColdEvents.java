package io.outbox.internal.delivery;

import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.completion.Completion;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Patience;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.polling.PollFeed;
import io.outbox.internal.polling.PollTarget;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;

/** The cold path into an engine's lanes: what the poller finds. */
final class ColdEvents implements PollTarget {

    private final Lanes lanes;
    private final Routing routing;
    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final AlarmLine alarmLine;
    private final EngineClock clock;
    private final StoreWatch watch;
    private final Leases leases;
    private final LeaseTaker leaseTaker;
    private volatile boolean claims;

    ColdEvents(
            Lanes lanes,
            Routing routing,
            OwnedEvents owned,
            CompletionWriter completion,
            AlarmLine alarmLine,
            EngineClock clock,
            StoreWatch watch,
            Leases leases,
            LeaseTaker leaseTaker) {
        this.lanes = lanes;
        this.routing = routing;
        this.owned = owned;
        this.completion = completion;
        this.alarmLine = alarmLine;
        this.clock = clock;
        this.watch = watch;
        this.leases = leases;
        this.leaseTaker = leaseTaker;
    }

    @Override
    public List<PollFeed> feeds() {
        return lanes.feeds();
    }

    @Override
    public List<PollFeed> feeds(EventTypes types) {
        return lanes.feeds(types);
    }

    @Override
    public StoreWatch watch() {
        return watch;
    }

    @Override
    public void connect(Alarm alarm) {
        alarmLine.connect(alarm);
    }

    @Override
    public void claimingUnder(Lease lease) {
        leaseTaker.holdUnder(lease);
        claims = true;
    }

    @Override
    public Lease lease() {
        return leases.current();
    }

    @Override
    public Optional<Set<String>> heldBy(Set<String> holders) {
        return Optional.of(owned.heldBy(holders));
    }

    @Override
    public long lockTime() {
        return owned.now();
    }

    @Override
    public void waitingAtStart(Collection<String> eventTypes) {
        routing.waitingAtStart(eventTypes);
    }

    @Override
    public void scanStarted() {
        if (claims) {
            completion.claimBegins();
        }
        lanes.scanStarted();
        owned.scanStarted();
    }

    @Override
    public void scanEnded() {
        owned.scanEnded();
        lanes.scanEnded();
        completion.claimEnds();
    }

    @Override
    public void storeIsAhead(Duration difference) {
        clock.storeIsAhead(difference);
    }

    @Override
    public boolean offer(List<FoundEvent> events, Claim claim, IntConsumer taken) {
        List<HeldEvent> held = new ArrayList<>(events.size());
        Patience patience = new Patience();
        int acquired = 0;
        int queued = 0;
        try {
            while (acquired < events.size()) {
                FoundEvent event = events.get(acquired);
                Hold hold = acquire(event.row(), claim, patience);
                acquired++;
                if (hold != null) {
                    add(held, event, hold);
                }
            }
            queued = lanes.offer(held);
            return queued == held.size();
        } finally {
            taken.accept(queued);
            held.subList(queued, held.size()).forEach(event -> completion.giveBack(event.hold()));
            if (claim.holder() != null) {
                giveBack(PollTarget.rows(events.subList(acquired, events.size())), claim);
            }
        }
    }

    /** Adds the event, or gives it back: from here on it is among those that the caller gives back. */
    private void add(List<HeldEvent> held, FoundEvent event, Hold hold) {
        try {
            held.add(held(event, hold));
        } catch (RuntimeException | Error e) {
            completion.giveBack(hold);
            throw e;
        }
    }

    private static HeldEvent held(FoundEvent event, Hold hold) {
        OutboxEvent row = event.row().event();
        QueuedEvent queued = new QueuedEvent(event.envelope(), Source.COLD, row.attempts());
        return new HeldEvent(queued, event.row().lastError(), row.availableAt(), hold);
    }

    @Override
    public void giveBack(List<DueEvent> rows, Claim claim) {
        Patience patience = new Patience();
        for (DueEvent row : rows) {
            Hold hold = acquire(row, claim, patience);
            if (hold != null) {
                completion.giveBack(hold);
            }
        }
    }

    @Override
    public void bury(DueEvent row, Claim claim, RuntimeException reason) {
        Hold hold = acquire(row, claim, new Patience());
        if (hold != null) {
            Outcome.Dead dead = new Outcome.Dead(row.eventId(), reason.toString());
            completion.submit(Completion.undecodable(hold, row.event(), dead, reason));
        }
    }

    private Hold acquire(DueEvent row, Claim claim, Patience patience) {
        if (claim.holder() == null) {
            return owned.acquire(row.eventId());
        }
        Hold hold = owned.acquireClaimed(row.eventId(), claim.holder(), claim.sinceNanos(), patience);
        if (hold != null && completion.releasesLocks() && owned.wasClosedDuringScan(hold)) {
            completion.giveBack(hold);
            return null;
        }
        return hold;
    }
}
