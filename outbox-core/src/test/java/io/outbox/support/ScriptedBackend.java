package io.outbox.support;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import io.outbox.spi.TransactionEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A storage engine in memory that does as it is told: a {@link Script} of the test runs before or after each kind of
 * call, and can count, wait or throw. Everything else is done as the rules for engines have it. Thread-safe.
 */
public final class ScriptedBackend implements OutboxBackend {

    /** A kind of call. */
    public enum Op {
        PERSIST,
        FETCH,
        CLAIM,
        APPLY,
        DONE_AMONG,
        RENEW,
        RELEASE,
        CURRENT_TIME,
        NEXT_DUE,
        OLDEST_DUE,
        LOOK_BY_TYPE,
        PENDING,
        PURGE
    }

    /**
     * A call.
     *
     * @param number which call of its kind this is; the first is 1
     * @param eventIds the events it is about, or those it found if it has been answered
     * @param outcomes the outcomes to write, if it does that
     */
    public record Call(Op op, long number, Collection<String> eventIds, List<Outcome> outcomes) {

        /** Returns whether it is about this event. */
        public boolean concerns(String eventId) {
            return eventIds.contains(eventId);
        }
    }

    /** What happens before a call takes effect, or before its answer comes. */
    @FunctionalInterface
    public interface Script {
        void run(Call call);
    }

    /** The state of an event. */
    public record Row(
            long place,
            OutboxEvent event,
            EventStatus status,
            int attempts,
            Instant availableAt,
            String ownerId,
            Instant lockedAt,
            String lastError,
            Outcome lastOutcome) {

        private Row locked(String owner, Instant at) {
            return new Row(place, event, status, attempts, availableAt, owner, at, lastError, lastOutcome);
        }

        private Row ended(EventStatus end, int count, Instant due, String error, Outcome outcome) {
            return new Row(place, event, end, count, due, null, null, error, outcome);
        }

        private boolean isPending() {
            return !status.isTerminal();
        }
    }

    private record Place(long number) implements PageCursor {}

    /** The transaction of a thread. */
    private static final class Transaction {
        private final Map<String, NewEvent> written = new LinkedHashMap<>();
        private final Map<String, Instant> lockedAt = new HashMap<>();
        private final List<Consumer<TransactionEnd>> callbacks = new ArrayList<>();
    }

    private static final Script NOTHING = call -> {};

    private final Map<String, Row> rows = new LinkedHashMap<>();
    private final Map<Op, AtomicLong> calls = new EnumMap<>(Op.class);
    private final Map<Op, Script> before = new ConcurrentHashMap<>();
    private final Map<Op, Script> after = new ConcurrentHashMap<>();
    private final Set<Capability> capabilities = EnumSet.allOf(Capability.class);
    private final ThreadLocal<Transaction> transaction = new ThreadLocal<>();
    private final AtomicLong rowsRead = new AtomicLong();
    private final AtomicLong rowsWritten = new AtomicLong();
    private volatile boolean transactional = true;
    private volatile boolean indexedByType = true;
    private volatile Duration ahead = Duration.ZERO;
    private long places;

    public ScriptedBackend() {
        for (Op op : Op.values()) {
            calls.put(op, new AtomicLong());
        }
    }

    // The script

    /** Runs the script before calls of this kind take effect; what it throws is their answer. */
    public ScriptedBackend before(Op op, Script script) {
        before.put(op, script);
        return this;
    }

    /** Runs the script after calls of this kind took effect, before they are answered; what it throws is the answer. */
    public ScriptedBackend after(Op op, Script script) {
        after.put(op, script);
        return this;
    }

    /** Lets calls of this kind pass again. */
    public void undisturbed(Op... ops) {
        for (Op op : ops) {
            before.remove(op);
            after.remove(op);
        }
    }

    /** Makes calls of these kinds fail as if the store could not be reached, until {@link #undisturbed}. */
    public void down(Op... ops) {
        for (Op op : ops) {
            before(op, call -> {
                throw unreachable();
            });
        }
    }

    /** Makes every kind of call fail that delivery makes. */
    public void down() {
        down(
                Op.FETCH,
                Op.CLAIM,
                Op.APPLY,
                Op.RENEW,
                Op.RELEASE,
                Op.CURRENT_TIME,
                Op.NEXT_DUE,
                Op.OLDEST_DUE,
                Op.LOOK_BY_TYPE);
    }

    /** Ends {@link #down()}. */
    public void up() {
        undisturbed(Op.values());
    }

    public static RuntimeException unreachable() {
        return new IllegalStateException("the store cannot be reached");
    }

    /** Takes capabilities away. */
    public ScriptedBackend without(Capability... missing) {
        List.of(missing).forEach(capabilities::remove);
        return this;
    }

    /** Makes the engine one that cannot tell which types have events, and reads from any place on. */
    public ScriptedBackend withoutIndexByType() {
        indexedByType = false;
        return this;
    }

    /** Makes the engine one that needs no transaction. */
    public ScriptedBackend withoutTransactions() {
        transactional = false;
        return this;
    }

    /** Sets the store's clock ahead of this process's. */
    public void ahead(Duration difference) {
        ahead = difference;
    }

    public long calls(Op op) {
        return calls.get(op).get();
    }

    /** Returns how many rows were handed out by reads and claims. */
    public long rowsRead() {
        return rowsRead.get();
    }

    /** Returns how many rows claims, releases, renewals and outcomes have changed. */
    public long rowsWritten() {
        return rowsWritten.get();
    }

    private <T> T call(
            Op op,
            Collection<String> ids,
            List<Outcome> outcomes,
            Supplier<T> effect,
            Function<T, Collection<String>> found) {
        long number = calls.get(op).incrementAndGet();
        before.getOrDefault(op, NOTHING).run(new Call(op, number, ids, outcomes));
        T answer;
        synchronized (this) {
            answer = effect.get();
        }
        after.getOrDefault(op, NOTHING).run(new Call(op, number, found.apply(answer), outcomes));
        return answer;
    }

    private <T> T call(Op op, Collection<String> ids, Supplier<T> effect) {
        return call(op, ids, List.of(), effect, answer -> ids);
    }

    private <T> T read(Op op, Supplier<T> effect, Function<T, Collection<String>> found) {
        return call(op, List.of(), List.of(), effect, found);
    }

    // The table

    /** Puts an event as somebody else may have written it. */
    public void put(EventEnvelope event, String ownerId) {
        put(event, ownerId, now());
    }

    private synchronized void put(EventEnvelope event, String ownerId, Instant lockedAt) {
        if (rows.containsKey(event.eventId())) {
            throw new DuplicateEventException(List.of(event.eventId()), null);
        }
        Instant due = event.availableAt() != null ? event.availableAt() : event.occurredAt();
        OutboxEvent stored = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedPayload(),
                event.storedHeaders(),
                0,
                event.occurredAt(),
                due);
        rows.put(
                event.eventId(),
                new Row(
                        places++,
                        stored,
                        EventStatus.NEW,
                        0,
                        due,
                        ownerId,
                        ownerId == null ? null : lockedAt,
                        null,
                        null));
    }

    /** Puts events that nobody holds. */
    public void put(EventEnvelope... events) {
        List.of(events).forEach(event -> put(event, null));
    }

    /** Puts a row that cannot be decoded. */
    public synchronized void putUndecodable(String eventId, String eventType) {
        Instant now = now();
        OutboxEvent row = new OutboxEvent(
                eventId,
                eventType,
                "__GLOBAL__",
                null,
                null,
                "{}",
                "{\"no",
                0,
                now.minusSeconds(1),
                now.minusSeconds(1));
        rows.put(eventId, new Row(places++, row, EventStatus.NEW, 0, row.availableAt(), null, null, null, null));
    }

    /** Lets another node take an event over, now. */
    public synchronized void steal(String eventId, String ownerId) {
        rows.computeIfPresent(eventId, (id, row) -> row.locked(ownerId, now()));
    }

    /** Makes the engine one that does not recognise the last outcome of the event when it is repeated. */
    public synchronized void forgetOutcome(String eventId) {
        rows.computeIfPresent(
                eventId, (id, row) -> row.ended(row.status, row.attempts, row.availableAt, row.lastError, null));
    }

    /** Deletes an event, as a purge does. */
    public synchronized void remove(String eventId) {
        rows.remove(eventId);
    }

    /** Makes the lock of an event that much older. */
    public synchronized void age(String eventId, Duration by) {
        rows.computeIfPresent(eventId, (id, row) -> row.locked(row.ownerId, row.lockedAt.minus(by)));
    }

    public synchronized Row row(String eventId) {
        return rows.get(eventId);
    }

    /** Returns all rows in the order in which they became visible. */
    public synchronized List<Row> rows() {
        return List.copyOf(rows.values());
    }

    public synchronized EventStatus status(String eventId) {
        return rows.get(eventId).status;
    }

    /** Returns the owner of the event's lock, or {@code null}. */
    public synchronized String owner(String eventId) {
        return rows.get(eventId).ownerId;
    }

    public synchronized long count(EventStatus status) {
        return rows.values().stream().filter(row -> row.status == status).count();
    }

    /** Returns how many events are locked by anybody. */
    public synchronized long locked() {
        return rows.values().stream().filter(row -> row.ownerId != null).count();
    }

    private Instant now() {
        return Instant.now().plus(ahead);
    }

    // Writing

    /** Begins a transaction on this thread. */
    public ScriptedBackend begin() {
        transaction.set(new Transaction());
        return this;
    }

    public void commit() {
        end(true, TransactionEnd.COMMITTED);
    }

    public void rollBack() {
        end(false, TransactionEnd.ROLLED_BACK);
    }

    /** Ends the transaction so that this side does not know how. */
    public void endUnknown(boolean committed) {
        end(committed, TransactionEnd.UNKNOWN);
    }

    /** Makes visible what was written, without telling anybody; returns what tells. */
    public Runnable commitSilently() {
        Transaction ending = makeVisible();
        return () -> ending.callbacks.forEach(callback -> callback.accept(TransactionEnd.COMMITTED));
    }

    private Transaction makeVisible() {
        Transaction ending = transaction.get();
        transaction.remove();
        ending.written.forEach((id, event) -> put(event.event(), event.ownerId(), ending.lockedAt.get(id)));
        return ending;
    }

    private void end(boolean visible, TransactionEnd end) {
        Transaction ending = visible ? makeVisible() : transaction.get();
        transaction.remove();
        ending.callbacks.forEach(callback -> callback.accept(end));
    }

    @Override
    public boolean requiresActiveTransaction() {
        return transactional;
    }

    @Override
    public boolean isTransactionActive() {
        return transaction.get() != null;
    }

    @Override
    public String noTransactionReason() {
        return "no transaction";
    }

    @Override
    public Set<String> persist(List<NewEvent> events) {
        List<String> ids = events.stream().map(event -> event.event().eventId()).toList();
        return call(Op.PERSIST, ids, () -> {
            Set<String> owned = new HashSet<>();
            for (NewEvent event : events) {
                String owner = supports(Capability.OWN_ON_WRITE) ? event.ownerId() : null;
                write(new NewEvent(event.event(), owner));
                if (owner != null) {
                    owned.add(event.event().eventId());
                }
            }
            return owned;
        });
    }

    private void write(NewEvent event) {
        Transaction current = transaction.get();
        if (current == null) {
            put(event.event(), event.ownerId());
        } else if (rows.containsKey(event.event().eventId())
                || current.written.putIfAbsent(event.event().eventId(), event) != null) {
            throw new DuplicateEventException(List.of(event.event().eventId()), null);
        } else {
            current.lockedAt.put(event.event().eventId(), now());
        }
    }

    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        Transaction current = transaction.get();
        if (current == null) {
            callback.accept(TransactionEnd.COMMITTED);
        } else {
            current.callbacks.add(callback);
        }
    }

    // Delivery

    @Override
    public Set<Capability> capabilities() {
        return Set.copyOf(capabilities);
    }

    @Override
    public void prepareReadsByType() {
        // nothing is slow here
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return read(
                Op.FETCH,
                () -> {
                    Instant created = request.now().minus(request.skipRecent());
                    List<Row> found = due(
                            request.now(),
                            request.types(),
                            request.after(),
                            request.limit(),
                            row -> !row.event.createdAt().isAfter(created));
                    return new Page<>(dueEvents(found), next(found, request.limit()));
                },
                page -> page.items().stream().map(DueEvent::eventId).toList());
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return read(
                Op.CLAIM,
                () -> {
                    List<Row> found = due(
                            request.asOf(),
                            request.scope().types(),
                            request.after(),
                            request.limit(),
                            row -> !row.event.createdAt().isAfter(request.createdUntil())
                                    && (row.ownerId == null
                                            || row.lockedAt.isBefore(request.lockExpiry())
                                            || request.scope().lost().include(row.ownerId, row.event.eventId())));
                    long takenOver = found.stream()
                            .filter(row ->
                                    row.ownerId != null && !request.lease().isHeldBy(row.ownerId))
                            .count();
                    Instant now = now();
                    found.forEach(row -> change(row.locked(request.lease().holder(), now)));
                    return new ClaimedPage(dueEvents(found), (int) takenOver, next(found, request.limit()));
                },
                page -> page.events().stream().map(DueEvent::eventId).toList());
    }

    private List<Row> due(Instant now, EventTypes types, PageCursor after, int limit, Predicate<Row> wanted) {
        long behind = after == null ? -1 : ((Place) after).number;
        List<Row> found = rows.values().stream()
                .filter(row -> row.place > behind && row.isPending() && !row.availableAt.isAfter(now))
                .filter(row -> types.contains(row.event.eventType()))
                .filter(wanted)
                .limit(limit)
                .toList();
        rowsRead.addAndGet(found.size());
        return found;
    }

    private static PageCursor next(List<Row> found, int limit) {
        return found.size() < limit ? null : new Place(found.get(found.size() - 1).place);
    }

    private static List<DueEvent> dueEvents(List<Row> found) {
        return found.stream()
                .map(row -> new DueEvent(
                        new OutboxEvent(
                                row.event.eventId(),
                                row.event.eventType(),
                                row.event.aggregateType(),
                                row.event.aggregateId(),
                                row.event.tenantId(),
                                row.event.payloadJson(),
                                row.event.headersJson(),
                                row.attempts,
                                row.event.createdAt(),
                                row.event.availableAt()),
                        row.lastError))
                .toList();
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        List<String> ids = outcomes.stream().map(Outcome::eventId).toList();
        return call(
                Op.APPLY,
                ids,
                outcomes,
                () -> {
                    Map<String, EventStatus> applied = new HashMap<>();
                    outcomes.forEach(outcome ->
                            apply(ownerId, outcome).ifPresent(status -> applied.put(outcome.eventId(), status)));
                    return applied;
                },
                applied -> ids);
    }

    private Optional<EventStatus> apply(String ownerId, Outcome outcome) {
        Row row = rows.get(outcome.eventId());
        boolean deletes = outcome instanceof Outcome.Done done && !done.keep();
        if (row == null) {
            return deletes ? Optional.of(EventStatus.DONE) : Optional.empty();
        }
        if (outcome.equals(row.lastOutcome)) {
            return Optional.of(row.status);
        }
        if (!row.isPending() || (ownerId != null && !ownerId.equals(row.ownerId))) {
            return Optional.empty();
        }
        if (deletes) {
            rowsWritten.incrementAndGet();
            rows.remove(outcome.eventId());
            return Optional.of(EventStatus.DONE);
        }
        Row ended;
        if (outcome instanceof Outcome.Done) {
            ended = row.ended(EventStatus.DONE, row.attempts, row.availableAt, null, outcome);
        } else if (outcome instanceof Outcome.Deferred deferred) {
            ended = row.ended(EventStatus.NEW, row.attempts, deferred.until(), row.lastError, outcome);
        } else if (outcome instanceof Outcome.Dead dead) {
            ended = row.ended(EventStatus.DEAD, row.attempts, row.availableAt, dead.error(), outcome);
        } else {
            Outcome.Failed failed = (Outcome.Failed) outcome;
            EventStatus status = row.attempts + 1 >= failed.maxAttempts() ? EventStatus.DEAD : EventStatus.RETRY;
            ended = row.ended(status, row.attempts + 1, failed.retryAt(), failed.error(), outcome);
        }
        change(ended);
        return Optional.of(ended.status);
    }

    private void change(Row row) {
        rowsWritten.incrementAndGet();
        rows.put(row.event.eventId(), row);
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return call(Op.DONE_AMONG, eventIds, () -> {
            Set<String> done = new HashSet<>(eventIds);
            done.removeIf(id -> !rows.containsKey(id) || rows.get(id).status != EventStatus.DONE);
            return done;
        });
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return call(Op.RENEW, eventIds, () -> {
            List<Row> held = heldBy(ownerId, eventIds);
            Instant now = now();
            held.forEach(row -> change(row.locked(ownerId, now)));
            Set<String> kept = new HashSet<>();
            held.forEach(row -> kept.add(row.event.eventId()));
            return kept;
        });
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return call(Op.RELEASE, eventIds, () -> {
            List<Row> held = heldBy(ownerId, eventIds);
            held.forEach(row -> change(row.locked(null, null)));
            return held.size();
        });
    }

    private List<Row> heldBy(String ownerId, Collection<String> eventIds) {
        return eventIds.stream()
                .map(rows::get)
                .filter(Objects::nonNull)
                .filter(row ->
                        row.isPending() && Objects.requireNonNull(ownerId).equals(row.ownerId))
                .toList();
    }

    @Override
    public Instant currentTime() {
        return call(Op.CURRENT_TIME, List.of(), this::now);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return call(
                Op.NEXT_DUE,
                List.of(),
                () -> rows.values().stream()
                        .filter(row -> row.isPending() && row.availableAt.isAfter(now))
                        .map(Row::availableAt)
                        .min(Instant::compareTo));
    }

    @Override
    public synchronized PageCursor placeOf(Instant due) {
        return indexedByType
                ? null
                : rows.values().stream()
                        .filter(row -> row.availableAt.isBefore(due))
                        .max(Comparator.comparing(Row::place))
                        .map(row -> new Place(row.place))
                        .orElse(null);
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return call(
                Op.LOOK_BY_TYPE,
                List.of(),
                () -> DueTypes.of(
                        rows.values().stream()
                                .filter(Row::isPending)
                                .map(row -> new DueType(row.event.eventType(), row.availableAt))
                                .toList(),
                        indexedByType));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return call(
                Op.OLDEST_DUE,
                List.of(),
                () -> rows.values().stream()
                        .filter(row -> row.isPending() && !row.availableAt.isAfter(now))
                        .map(Row::availableAt)
                        .min(Instant::compareTo));
    }

    // Housekeeping

    @Override
    public List<PendingEvents> pending(Instant now) {
        return call(Op.PENDING, List.of(), () -> {
            Map<String, PendingEvents> byType = new HashMap<>();
            rows.values().stream()
                    .filter(row -> row.isPending() && !row.availableAt.isAfter(now))
                    .forEach(row -> byType.merge(
                            row.event.eventType(),
                            new PendingEvents(row.event.eventType(), 1, row.availableAt),
                            (one, other) -> new PendingEvents(
                                    one.eventType(), one.count() + other.count(), one.oldestDueAt())));
            return List.copyOf(byType.values());
        });
    }

    @Override
    public List<EventCount> counts() {
        return List.of();
    }

    @Override
    public int purge(Instant cutoff, int limit) {
        return purge(row -> row.status.isTerminal(), limit);
    }

    private int purge(Predicate<Row> condition, int limit) {
        return call(Op.PURGE, List.of(), () -> {
            List<String> finished = rows.values().stream()
                    .filter(condition)
                    .map(row -> row.event.eventId())
                    .limit(limit)
                    .toList();
            finished.forEach(rows::remove);
            return finished.size();
        });
    }

    @Override
    public int purgeDone(Instant cutoff, int limit) {
        return purge(row -> row.status == EventStatus.DONE, limit);
    }

    @Override
    public Page<OutboxEvent> queryDead(DeadQuery query) {
        return Page.last(List.of());
    }

    @Override
    public int replayDead(Collection<String> eventIds) {
        return 0;
    }

    @Override
    public synchronized int countDead(String eventType) {
        return (int) count(EventStatus.DEAD);
    }

    @Override
    public List<InspectedEvent> lookUp(Collection<String> eventIds) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return Optional.empty();
    }

    @Override
    public Optional<DeadEventBackend> deadEvents() {
        return Optional.empty();
    }
}
