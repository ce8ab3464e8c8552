package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.TransactionEnd;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The storage engine of an outbox under test: takes down what is written and what becomes of it, goes by the time of the
 * test, and hands out only what the current test has written. What earlier tests have left in the store stays there.
 */
final class RecordingBackend implements OutboxBackend {

    private final OutboxBackend store;
    private final EventRecord record;
    private final TestTime time;

    RecordingBackend(OutboxBackend store, EventRecord record, TestTime time) {
        this.store = store;
        this.record = record;
        this.time = time;
    }

    @Override
    public Set<String> persist(List<NewEvent> events) {
        Set<String> owned = store.persist(events);
        List<EventEnvelope> written = events.stream().map(NewEvent::event).toList();
        record.written(written);
        store.afterCompletion(end -> record.ended(written, end));
        return owned;
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        Page<DueEvent> page = store.fetch(request);
        return new Page<>(ofThisTest(page.items()), page.next());
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        ClaimedPage page = store.claim(request);
        List<DueEvent> ours = ofThisTest(page.events());
        List<String> others = page.events().stream()
                .map(DueEvent::eventId)
                .filter(eventId -> !record.contains(eventId))
                .toList();
        if (!others.isEmpty() && supports(Capability.RELEASE)) {
            store.release(request.lease().ownerId(), others);
        }
        return new ClaimedPage(ours, page.takenOver(), page.next());
    }

    private List<DueEvent> ofThisTest(List<DueEvent> events) {
        return events.stream().filter(event -> record.contains(event.eventId())).toList();
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        Map<String, EventStatus> results = store.apply(ownerId, outcomes);
        record.delivered(outcomes, results);
        return results;
    }

    /** What is replayed is due by the store's clock, which the clock of the test may be behind. */
    @Override
    public int replayDead(Collection<String> eventIds) {
        int replayed = store.replayDead(eventIds);
        time.reach(store.currentTime());
        record.replayed(eventIds, time.clock().instant());
        return replayed;
    }

    @Override
    public Instant currentTime() {
        return time.clock().instant();
    }

    // Everything else is the store's business

    @Override
    public boolean requiresActiveTransaction() {
        return store.requiresActiveTransaction();
    }

    @Override
    public boolean isTransactionActive() {
        return store.isTransactionActive();
    }

    @Override
    public String noTransactionReason() {
        return store.noTransactionReason();
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        store.afterCompletion(callback);
    }

    @Override
    public Set<Capability> capabilities() {
        return store.capabilities();
    }

    @Override
    public void prepareReadsByType() {
        store.prepareReadsByType();
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return store.renew(ownerId, eventIds);
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return store.release(ownerId, eventIds);
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return store.doneAmong(eventIds);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return store.nextDueAt(now);
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return store.oldestDueAt(now);
    }

    @Override
    public List<PendingEvents> pending(Instant now) {
        return store.pending(now);
    }

    @Override
    public List<EventCount> counts() {
        return store.counts();
    }

    @Override
    public int purge(Instant before, int limit) {
        return store.purge(before, limit);
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return store.purgeDone(before, limit);
    }

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        return store.queryDead(query);
    }

    @Override
    public int countDead(String eventType) {
        return store.countDead(eventType);
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return store.inspection();
    }

    @Override
    public Optional<DeadLetterBackend> deadLetters() {
        return store.deadLetters();
    }
}
