package io.outbox.spi;

import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * An engine made of three parts, each of which does what the seam asks of it. The base of engines that have their parts in
 * classes of their own, and of decorators: give it the decorated engine as all three, and override what is to be different.
 */
public abstract class ForwardingBackend implements OutboxBackend {

    private final WriteBackend writing;
    private final DeliveryBackend delivery;
    private final HousekeepingBackend housekeeping;

    protected ForwardingBackend(WriteBackend writing, DeliveryBackend delivery, HousekeepingBackend housekeeping) {
        this.writing = Objects.requireNonNull(writing, "writing");
        this.delivery = Objects.requireNonNull(delivery, "delivery");
        this.housekeeping = Objects.requireNonNull(housekeeping, "housekeeping");
    }

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

    @Override
    public PageCursor placeOf(Instant due) {
        return delivery.placeOf(due);
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return delivery.lookByType(known, from);
    }

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
