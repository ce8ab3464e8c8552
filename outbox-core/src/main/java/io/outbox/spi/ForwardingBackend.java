package io.outbox.spi;

import io.outbox.model.EventCount;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An engine made of three parts, each of which does what the seam asks of it. The base of engines that have their parts
 * in classes of their own, and of decorators: give it the decorated engine as all three, and override what is to be
 * different.
 */
public abstract class ForwardingBackend extends ForwardingDelivery implements OutboxBackend {

    private final WriteBackend writing;
    private final HousekeepingBackend housekeeping;

    protected ForwardingBackend(WriteBackend writing, DeliveryBackend delivery, HousekeepingBackend housekeeping) {
        super(delivery);
        this.writing = Objects.requireNonNull(writing, "writing");
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
    public void prepareKeys() {
        writing.prepareKeys();
    }

    @Override
    public void lockKeys(Collection<String> keys) {
        writing.lockKeys(keys);
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
    public int countDead(@Nullable String eventType) {
        return housekeeping.countDead(eventType);
    }

    @Override
    public List<InspectedEvent> lookUp(Collection<String> eventIds) {
        return housekeeping.lookUp(eventIds);
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return housekeeping.inspection();
    }

    @Override
    public Optional<DeadEventBackend> deadEvents() {
        return housekeeping.deadEvents();
    }
}
