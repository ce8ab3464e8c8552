package io.outbox.testing;

import static io.outbox.testing.Transitions.micros;

import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.EventTypes;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A complete storage engine in memory, for tests. It keeps all rules of {@link OutboxBackend}, claims included, and has
 * transactions of its own: events written in one become visible when it commits. Nothing survives the JVM.
 *
 * <p>Due times of claims and leases run on the given clock, with the microseconds that databases keep. Thread-safe.
 */
public final class InMemoryOutboxBackend implements OutboxBackend {

    private static final Comparator<OutboxEvent> CREATION_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);
    private static final Comparator<OutboxEvent> PAGE_ORDER =
            Comparator.comparing(OutboxEvent::availableAt).thenComparing(CREATION_ORDER);

    private final Clock clock;
    private final ThreadLocal<InMemoryTransaction> current = new ThreadLocal<>();
    private final Map<String, StoredEvent> events = new LinkedHashMap<>();
    private final NavigableSet<StoredEvent> pending =
            new TreeSet<>(Comparator.comparing(StoredEvent::event, PAGE_ORDER));

    /** Creates an empty store that lives on the system's time. */
    public InMemoryOutboxBackend() {
        this(Clock.systemUTC());
    }

    /** Creates an empty store that lives on the given clock's time. */
    public InMemoryOutboxBackend(Clock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Begins a transaction on the calling thread.
     *
     * @throws IllegalStateException if the thread is in one already
     */
    public InMemoryTransaction begin() {
        if (isTransactionActive()) {
            throw new IllegalStateException("This thread is in a transaction already; commit or roll back that one");
        }
        InMemoryTransaction transaction = new InMemoryTransaction(this);
        current.set(transaction);
        return transaction;
    }

    /** Runs the work in a transaction that commits, or rolls back if the work throws. */
    public void inTransaction(Runnable work) {
        callInTransaction(() -> {
            work.run();
            return null;
        });
    }

    /** Calls the work in a transaction that commits, or rolls back if the work throws, and returns its result. */
    public <T> T callInTransaction(Supplier<T> work) {
        try (InMemoryTransaction transaction = begin()) {
            T result = work.get();
            transaction.commit();
            return result;
        }
    }

    /** Returns all stored events, in the order in which they became visible. */
    public synchronized List<StoredEvent> events() {
        return List.copyOf(events.values());
    }

    /** Returns the stored event with this id. */
    public synchronized Optional<StoredEvent> find(String eventId) {
        return Optional.ofNullable(events.get(eventId));
    }

    @Override
    public boolean requiresActiveTransaction() {
        return true;
    }

    @Override
    public boolean supportsClaiming() {
        return true;
    }

    @Override
    public boolean isTransactionActive() {
        return current.get() != null;
    }

    @Override
    public void persist(List<EventEnvelope> batch, String ownerId) {
        InMemoryTransaction transaction = requireTransaction();
        for (EventEnvelope event : batch) {
            if (find(event.eventId()).isPresent()) {
                throw alreadyStored(event.eventId());
            }
            StoredEvent stored = new StoredEvent(row(event), EventStatus.NEW, null, null, null, null);
            boolean held = ownerId != null && !event.isDelayed();
            transaction.add(held ? stored.lockedBy(ownerId, now()) : stored);
        }
    }

    private static OutboxEvent row(EventEnvelope event) {
        Instant availableAt = event.availableAt() != null ? event.availableAt() : event.occurredAt();
        return new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                0,
                micros(event.occurredAt()),
                micros(availableAt));
    }

    @Override
    public void afterCompletion(Runnable committed, Runnable rolledBack) {
        requireTransaction().afterCompletion(committed, rolledBack);
    }

    @Override
    public synchronized List<OutboxEvent> fetch(FetchRequest request) {
        return due(request.now(), request.skipRecent(), request.types(), request.after())
                .map(StoredEvent::event)
                .limit(request.limit())
                .sorted(CREATION_ORDER)
                .toList();
    }

    @Override
    public synchronized List<OutboxEvent> claim(ClaimRequest request) {
        Instant now = now();
        String ownerId = request.lease().ownerId();
        Instant expired = request.lockExpiry(now);
        List<StoredEvent> free = due(now, request.skipRecent(), request.types(), request.after())
                .filter(event -> event.lockedBy() == null || event.lockedAt().isBefore(expired))
                .limit(request.limit())
                .toList();
        request.takenOver().accept((int)
                free.stream().filter(event -> event.lockedBy() != null).count());
        free.forEach(event -> replace(event, event.lockedBy(ownerId, now)));
        return free.stream().map(StoredEvent::event).sorted(CREATION_ORDER).toList();
    }

    private Stream<StoredEvent> due(Instant now, Duration skipRecent, EventTypes types, OutboxEvent after) {
        Instant createdUntil = now.minus(skipRecent);
        return pending.stream()
                .takeWhile(event -> !event.availableAt().isAfter(now))
                .filter(event -> !event.createdAt().isAfter(createdUntil))
                .filter(event -> types.contains(event.eventType()))
                .filter(event -> after == null || PAGE_ORDER.compare(event.event(), after) > 0);
    }

    @Override
    public synchronized Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        Map<String, EventStatus> standing = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            StoredEvent event = events.get(outcome.eventId());
            if (event == null) {
                continue;
            }
            if (Transitions.wasApplied(event, outcome)) {
                standing.put(event.eventId(), event.status());
            } else if (event.isPending() && (ownerId == null || ownerId.equals(event.lockedBy()))) {
                StoredEvent changed = Transitions.after(event, outcome);
                replace(event, changed);
                standing.put(event.eventId(), changed.status());
            }
        }
        return standing;
    }

    @Override
    public synchronized Set<String> renew(String ownerId, Collection<String> eventIds) {
        Instant now = now();
        Set<String> renewed = new HashSet<>();
        for (StoredEvent event : heldBy(ownerId, eventIds)) {
            replace(event, event.lockedBy(ownerId, now));
            renewed.add(event.eventId());
        }
        return renewed;
    }

    @Override
    public synchronized int release(String ownerId, Collection<String> eventIds) {
        List<StoredEvent> held = heldBy(ownerId, eventIds);
        held.forEach(event -> replace(event, event.unlocked()));
        return held.size();
    }

    private List<StoredEvent> heldBy(String ownerId, Collection<String> eventIds) {
        List<StoredEvent> held = new ArrayList<>();
        for (String id : new HashSet<>(eventIds)) {
            StoredEvent event = events.get(id);
            if (event != null && event.isPending() && ownerId.equals(event.lockedBy())) {
                held.add(event);
            }
        }
        return held;
    }

    @Override
    public Instant currentTime() {
        return now();
    }

    @Override
    public synchronized Optional<Instant> nextDueAt(Instant now) {
        return pending.stream()
                .map(StoredEvent::availableAt)
                .filter(availableAt -> availableAt.isAfter(now))
                .findFirst();
    }

    @Override
    public synchronized List<PendingEvents> pending(Instant now) {
        Map<String, PendingEvents> byType = new LinkedHashMap<>();
        pending.stream()
                .takeWhile(event -> !event.availableAt().isAfter(now))
                .map(event -> new PendingEvents(event.eventType(), 1, event.availableAt()))
                .forEach(one -> byType.merge(
                        one.eventType(),
                        one,
                        (oldest, next) -> new PendingEvents(
                                oldest.eventType(), oldest.count() + next.count(), oldest.oldestDueAt())));
        return List.copyOf(byType.values());
    }

    @Override
    public synchronized List<EventCount> counts() {
        Map<String, EventCount> byType = new TreeMap<>();
        for (StoredEvent event : pending) {
            boolean locked = event.lockedBy() != null;
            byType.merge(
                    event.eventType(),
                    new EventCount(event.eventType(), locked ? 0 : 1, locked ? 1 : 0),
                    InMemoryOutboxBackend::sum);
        }
        return List.copyOf(byType.values());
    }

    private static EventCount sum(EventCount a, EventCount b) {
        return new EventCount(a.eventType(), a.pending() + b.pending(), a.inProcess() + b.inProcess());
    }

    @Override
    public synchronized int purge(Instant before, int limit) {
        return purge(event -> !event.isPending(), before, limit);
    }

    @Override
    public synchronized int purgeDone(Instant before, int limit) {
        return purge(event -> event.status() == EventStatus.DONE, before, limit);
    }

    private int purge(Predicate<StoredEvent> finished, Instant before, int limit) {
        List<String> ended = events.values().stream()
                .filter(finished)
                .filter(event -> (event.doneAt() != null ? event.doneAt() : event.createdAt()).isBefore(before))
                .map(StoredEvent::event)
                .sorted(CREATION_ORDER)
                .limit(limit)
                .map(OutboxEvent::eventId)
                .toList();
        ended.forEach(events::remove);
        return ended.size();
    }

    @Override
    public synchronized List<OutboxEvent> queryDead(String eventType, String aggregateType, int limit) {
        return dead(eventType)
                .filter(event -> aggregateType == null || aggregateType.equals(event.aggregateType()))
                .sorted(CREATION_ORDER)
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized int replayDead(String eventId) {
        StoredEvent event = events.get(eventId);
        if (event == null || event.status() != EventStatus.DEAD) {
            return 0;
        }
        replace(event, event.becoming(EventStatus.NEW, 0, now()).withError(null));
        return 1;
    }

    @Override
    public synchronized int countDead(String eventType) {
        return (int) dead(eventType).count();
    }

    private Stream<OutboxEvent> dead(String eventType) {
        return events.values().stream()
                .filter(event -> event.status() == EventStatus.DEAD)
                .map(StoredEvent::event)
                .filter(event -> eventType == null || eventType.equals(event.eventType()));
    }

    private void replace(StoredEvent before, StoredEvent after) {
        pending.remove(before);
        events.put(after.eventId(), after);
        if (after.isPending()) {
            pending.add(after);
        }
    }

    private InMemoryTransaction requireTransaction() {
        InMemoryTransaction transaction = current.get();
        if (transaction == null) {
            throw new IllegalStateException("No transaction on this thread; call begin() first");
        }
        return transaction;
    }

    private Instant now() {
        return micros(clock.instant());
    }

    // What a transaction does when it ends

    synchronized void store(Map<String, StoredEvent> written) {
        for (String id : written.keySet()) {
            if (events.containsKey(id)) {
                throw alreadyStored(id);
            }
        }
        events.putAll(written);
        pending.addAll(written.values());
    }

    void unbind() {
        current.remove();
    }

    static OutboxBackendException alreadyStored(String eventId) {
        return new OutboxBackendException("An event with id " + eventId + " is stored already");
    }
}
