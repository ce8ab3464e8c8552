package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.completion.Completion;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.polling.PollFeed;
import io.outbox.internal.polling.PollTarget;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.spi.DueEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** The cold path into an engine's lanes: what the poller finds. */
final class ColdEvents implements PollTarget {

    private final Lanes lanes;
    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final AlarmLine alarmLine;
    private final EngineClock clock;
    private final StoreWatch watch;
    private final Consumer<Lease> holdUnder;

    ColdEvents(
            Lanes lanes,
            OwnedEvents owned,
            CompletionWriter completion,
            AlarmLine alarmLine,
            EngineClock clock,
            StoreWatch watch,
            Consumer<Lease> holdUnder) {
        this.lanes = lanes;
        this.owned = owned;
        this.completion = completion;
        this.alarmLine = alarmLine;
        this.clock = clock;
        this.watch = watch;
        this.holdUnder = holdUnder;
    }

    @Override
    public List<PollFeed> feeds() {
        return lanes.feeds();
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
        holdUnder.accept(lease);
    }

    @Override
    public void scanStarted() {
        lanes.scanStarted();
        owned.scanStarted();
    }

    @Override
    public void scanEnded() {
        owned.scanEnded();
        lanes.scanEnded();
    }

    @Override
    public void storeIsAhead(Duration difference) {
        clock.storeIsAhead(difference);
    }

    @Override
    public Answer offer(EventEnvelope event, DueEvent row, Claim claim) {
        Hold hold = acquire(row, claim);
        if (hold == null) {
            return Answer.KNOWN;
        }
        QueuedEvent queued = new QueuedEvent(event, Source.COLD, row.event().attempts());
        if (lanes.offer(new HeldEvent(queued, row.lastError(), row.event().availableAt(), hold))) {
            return Answer.TAKEN;
        }
        completion.letGo(hold);
        return Answer.NO_ROOM;
    }

    @Override
    public void giveBack(List<DueEvent> rows, Claim claim) {
        for (DueEvent row : rows) {
            Hold hold = acquire(row, claim);
            if (hold != null) {
                completion.giveBack(hold);
            }
        }
    }

    @Override
    public void bury(DueEvent row, Claim claim, RuntimeException reason) {
        Hold hold = acquire(row, claim);
        if (hold != null) {
            Outcome.Dead dead = new Outcome.Dead(row.eventId(), reason.toString());
            completion.submit(
                    Completion.undecodable(hold, String.valueOf(row.event().eventType()), dead, reason));
        }
    }

    private Hold acquire(DueEvent row, Claim claim) {
        if (claim.ownerId() == null) {
            return owned.acquire(row.eventId());
        }
        Hold hold = owned.acquireClaimed(row.eventId(), claim.ownerId(), claim.sinceNanos());
        if (hold != null && completion.releasesLocks() && owned.wasClosedDuringScan(hold)) {
            completion.giveBack(hold);
            return null;
        }
        return hold;
    }
}
