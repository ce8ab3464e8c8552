package io.outbox.testing.contract;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A group of rules: a fresh engine for each of them, and the words in which they speak about it. */
abstract class EngineRules {

    /** Longer than any test. */
    static final Duration LONG_LEASE = Duration.ofHours(1);

    static final Duration SHORT_LEASE = Duration.ofMillis(200);
    static final String TYPE = "ContractEvent";
    static final String PAYLOAD = "{\"n\":1}";

    private final Callable<EngineUnderTest> engines;

    EngineUnderTest engine;
    OutboxBackend backend;

    EngineRules(Callable<EngineUnderTest> engines) {
        this.engines = engines;
    }

    @BeforeEach
    final void openEngine() throws Exception {
        engine = engines.call();
        backend = engine.backend();
    }

    @AfterEach
    final void closeEngine() throws Exception {
        if (engine != null) {
            engine.close();
        }
    }

    // Writing

    /** Begins an event that occurs now, by the store's clock. */
    final EventEnvelope.Builder event() {
        return EventEnvelope.builder(TYPE).occurredAt(engine.now()).payloadJson(PAYLOAD);
    }

    /** Returns an event that occurred that long ago. */
    final EventEnvelope aged(Duration age) {
        return event().occurredAt(engine.now().minus(age)).build();
    }

    /** Returns due events in order of creation. */
    final List<EventEnvelope> dueEvents(int count) {
        Instant first = engine.now().minus(Duration.ofMinutes(1));
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event().occurredAt(first.plusMillis(i)).build());
        }
        return events;
    }

    /**
     * Stores ten due events of 10,000 bytes each, some of them retries, and returns their ids in the order of pages.
     */
    final List<String> storeLargeEvents() {
        String payload = '"' + "x".repeat(9_998) + '"';
        List<EventEnvelope> events = dueEvents(10).stream()
                .map(event -> event.toBuilder().payloadJson(payload).build())
                .toList();
        store(events, null);
        for (int i = 0; i < events.size(); i += 3) {
            EventEnvelope event = events.get(i);
            Instant retryAt = event.occurredAt().plusNanos(1_000);
            backend.apply(null, List.of(new Outcome.Failed(event.eventId(), retryAt, 0, 9, "x")));
        }
        return ids(events);
    }

    /** Stores due events that no one holds and returns their ids in order of creation. */
    final List<String> storeDue(int count) {
        List<EventEnvelope> events = dueEvents(count);
        store(events, null);
        return ids(events);
    }

    /** Stores one due event that no one holds. */
    final String storeDue() {
        return storeDue(1).get(0);
    }

    final String store(EventEnvelope event) {
        store(List.of(event), null);
        return event.eventId();
    }

    /** Stores the events; the owner, if there is one, holds those that are not delayed. */
    final void store(List<EventEnvelope> events, String ownerId) {
        engine.inTransaction(() -> backend.persist(newEvents(events, ownerId)));
    }

    /** Stores due events of types A, B and C in turn. */
    final TypedEvents storeThreeTypes() {
        Instant first = engine.now().minus(Duration.ofMinutes(1));
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            events.add(EventEnvelope.builder(List.of("A", "B", "C").get(i % 3))
                    .occurredAt(first.plusMillis(i))
                    .payloadJson("{}")
                    .build());
        }
        store(events, null);
        return new TypedEvents(events);
    }

    /** Stores due events of which every third is a retry, the oldest included; returns their ids in order of age. */
    final List<String> storeRetriesAmongNewEvents() {
        List<EventEnvelope> events = dueEvents(30);
        store(events, null);
        for (int i = 0; i < events.size(); i += 3) {
            EventEnvelope event = events.get(i);
            Instant retryAt = event.occurredAt().plusNanos(1_000);
            backend.apply(null, List.of(new Outcome.Failed(event.eventId(), retryAt, 0, 9, "x")));
        }
        return ids(events);
    }

    /** Events of several types, in order of creation. */
    record TypedEvents(List<EventEnvelope> all) {

        List<String> of(String... types) {
            return ids(all.stream()
                    .filter(event -> List.of(types).contains(event.eventType()))
                    .toList());
        }
    }

    /** Returns the events as new ones, held by that owner where they can be. */
    static List<NewEvent> newEvents(List<EventEnvelope> events, String ownerId) {
        return events.stream()
                .map(event -> new NewEvent(event, event.isDelayed() ? null : ownerId))
                .toList();
    }

    /** Runs the work in a transaction that rolls back. */
    final void rollBack(Runnable work) {
        rollBack(engine, work);
    }

    static void rollBack(EngineUnderTest engine, Runnable work) {
        RuntimeException request = new RuntimeException("roll back, please");
        try {
            engine.inTransaction(() -> {
                work.run();
                throw request;
            });
        } catch (RuntimeException e) {
            for (Throwable cause = e; cause != request; cause = cause.getCause()) {
                if (cause == null) {
                    throw e;
                }
            }
            return;
        }
        throw new AssertionError("inTransaction must rethrow what the work throws");
    }

    // Reading and claiming

    final List<OutboxEvent> fetch(int limit) {
        return rows(backend.fetch(FetchRequest.first(engine.now(), limit)));
    }

    final List<OutboxEvent> claim(String ownerId, int limit) {
        return claim(ownerId, LONG_LEASE, limit);
    }

    final List<OutboxEvent> claim(String ownerId, Duration lease, int limit) {
        return rows(backend.claim(claimNow(ownerId, lease, limit)));
    }

    /** Returns the request of an owner for the oldest events, as of the store's time. */
    final ClaimRequest claimNow(String ownerId, Duration lease, int limit) {
        return ClaimRequest.first(new Lease(ownerId, lease), backend.currentTime(), limit);
    }

    final void finish(Collection<String> ids) {
        Instant now = engine.now();
        backend.apply(null, done(ids, now));
    }

    /** Applies outcomes as a node does: what somebody else has locked is tried again. */
    final Map<String, EventStatus> applyAmongOthers(String holder, List<Outcome> outcomes) {
        for (long giveUpAt = System.nanoTime() + Duration.ofSeconds(20).toNanos(); ; ) {
            try {
                return backend.apply(holder, outcomes);
            } catch (EventsLockedException e) {
                if (System.nanoTime() - giveUpAt > 0) {
                    throw e;
                }
            }
        }
    }

    static List<Outcome> done(Collection<String> ids, Instant at) {
        return ids.stream().map(id -> (Outcome) new Outcome.Done(id, at)).toList();
    }

    /** Returns one outcome of each kind for the four events. */
    final List<Outcome> oneOfEach(List<String> ids) {
        Instant now = engine.now();
        return List.of(
                new Outcome.Done(ids.get(0), now),
                new Outcome.Failed(ids.get(1), now.plusSeconds(60), 0, 9, "failed"),
                new Outcome.Deferred(ids.get(2), now.plusSeconds(60)),
                new Outcome.Dead(ids.get(3), "dead"));
    }

    final StoredEvent stored(String eventId) {
        return engine.find(eventId).orElseThrow(() -> new AssertionError("event " + eventId + " is not stored"));
    }

    final List<StoredEvent> stored(Collection<String> eventIds) {
        return eventIds.stream().map(this::stored).toList();
    }

    static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    static List<String> rowIds(List<OutboxEvent> rows) {
        return rows.stream().map(OutboxEvent::eventId).toList();
    }

    static List<OutboxEvent> rows(Page<DueEvent> page) {
        return page.items().stream().map(DueEvent::event).toList();
    }

    static List<OutboxEvent> rows(ClaimedPage page) {
        return page.events().stream().map(DueEvent::event).toList();
    }
}
