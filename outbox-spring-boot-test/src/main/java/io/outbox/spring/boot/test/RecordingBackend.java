package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The storage engine of an outbox under test: takes down what is written and what becomes of it, goes by the time of
 * the test, and hands out only what the current test has written. What earlier tests have left in the store stays
 * there.
 */
final class RecordingBackend extends ForwardingBackend {

    private final OutboxBackend store;
    private final EventRecord record;
    private final TestTime time;

    RecordingBackend(OutboxBackend store, EventRecord record, TestTime time) {
        super(store, store, store);
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
            store.release(request.lease().holder(), others);
        }
        return new ClaimedPage(ours, page.takenOver(), page.next());
    }

    private List<DueEvent> ofThisTest(List<DueEvent> events) {
        return events.stream().filter(event -> record.contains(event.eventId())).toList();
    }

    @Override
    public Map<String, EventStatus> apply(@Nullable String ownerId, List<Outcome> outcomes) {
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
}
