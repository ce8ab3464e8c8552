package io.outbox.redis;

import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.WriteBackend;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The engine on Redis: its three parts as one. Thread-safe. */
record RedisBackend(WriteBackend writing, DeliveryBackend delivery, HousekeepingBackend housekeeping)
        implements OutboxBackend {

    // Writing

    @Override
    public boolean requiresActiveTransaction() {
        return writing.requiresActiveTransaction();
    }

    @Override
    public boolean isTransactionActive() {
        return writing.isTransactionActive();
    }

    @Override
    public String noTransactionReason() {
        return writing.noTransactionReason();
    }

    @Override
    public Set<String> persist(List<NewEvent> events) {
        return writing.persist(events);
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        writing.afterCompletion(callback);
    }

    // Delivering

    @Override
    public Set<Capability> capabilities() {
        return delivery.capabilities();
    }

    @Override
    public void prepareReadsByType() {
        delivery.prepareReadsByType();
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return delivery.fetch(request);
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return delivery.claim(request);
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        return delivery.apply(ownerId, outcomes);
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return delivery.doneAmong(eventIds);
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return delivery.renew(ownerId, eventIds);
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return delivery.release(ownerId, eventIds);
    }

    @Override
    public Instant currentTime() {
        return delivery.currentTime();
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return delivery.nextDueAt(now);
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return delivery.oldestDueAt(now);
    }

    // Housekeeping

    @Override
    public List<PendingEvents> pending(Instant now) {
        return housekeeping.pending(now);
    }

    @Override
    public List<EventCount> counts() {
        return housekeeping.counts();
    }

    @Override
    public int purge(Instant before, int limit) {
        return housekeeping.purge(before, limit);
    }

    @Override
    public int purgeDone(Instant before, int limit) {
        return housekeeping.purgeDone(before, limit);
    }

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        return housekeeping.queryDead(query);
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        return housekeeping.replayDead(eventIds);
    }

    @Override
    public int countDead(String eventType) {
        return housekeeping.countDead(eventType);
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return housekeeping.inspection();
    }

    @Override
    public Optional<DeadLetterBackend> deadLetters() {
        return housekeeping.deadLetters();
    }
}
