package io.outbox.testing;

import static io.outbox.testing.Transitions.micros;

import io.outbox.DuplicateEventException;
import io.outbox.model.BlockedKey;
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
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
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
import java.util.stream.Stream;

/**
 * The events of an {@link InMemoryOutboxBackend}: all that are visible, and the order in which they are read. Each
 * method is one step that nobody sees half done. Thread-safe.
 */
final class InMemoryTable implements DeliveryBackend, HousekeepingBackend {

    private static final Comparator<OutboxEvent> CREATION_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);
    private static final Comparator<OutboxEvent> PAGE_ORDER =
            Comparator.comparing(OutboxEvent::availableAt).thenComparing(CREATION_ORDER);
    private static final Set<Capability> CAPABILITIES =
            Set.copyOf(EnumSet.complementOf(EnumSet.of(Capability.LOCK_KEYS)));

    /** The place behind an event, in whichever order is read. */
    private record Place(OutboxEvent event) implements PageCursor {}

    private final Clock clock;
    private final Map<String, StoredEvent> events = new LinkedHashMap<>();
    private final NavigableSet<StoredEvent> pending =
            new TreeSet<>(Comparator.comparing(StoredEvent::event, PAGE_ORDER));

    private final InMemoryKeys keys = new InMemoryKeys();

    InMemoryTable(Clock clock) {
        this.clock = clock;
    }

    // Writing

    /** Makes all these events visible, or none. */
    synchronized void insert(Map<String, StoredEvent> written) {
        requireNew(written.keySet());
        events.putAll(written);
        pending.addAll(written.values());
    }

    synchronized void requireNew(Collection<String> eventIds) {
        if (eventIds.stream().anyMatch(events::containsKey)) {
            throw new DuplicateEventException(List.copyOf(eventIds), null);
        }
    }

    synchronized List<StoredEvent> all() {
        return List.copyOf(events.values());
    }

    synchronized Optional<StoredEvent> find(String eventId) {
        return Optional.ofNullable(events.get(eventId));
    }

    /** Gives an event that is about to be written its place among those of a key. */
    synchronized void keepOrder(String eventId, String key) {
        keys.add(eventId, key);
    }

    // Delivering

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    /** Does nothing: types are read apart without preparation. */
    @Override
    public void prepareReadsByType() {}

    @Override
    public synchronized Page<DueEvent> fetch(FetchRequest request) {
        Instant createdUntil = request.now().minus(request.skipRecent());
        List<StoredEvent> found = due(request.now(), createdUntil, request.types(), request.after())
                .limit(request.limit() + 1L)
                .toList();
        int count = pageSize(request.limit(), request.maxBytes(), found);
        return new Page<>(dueEvents(first(count, found)), cursor(count, found));
    }

    @Override
    public synchronized ClaimedPage claim(ClaimRequest request) {
        Instant now = currentTime();
        Instant expired = request.lockExpiry();
        List<StoredEvent> found = due(
                        request.asOf(), request.createdUntil(), request.scope().types(), request.after())
                .filter(event -> event.lockedBy() == null
                        || event.lockedAt().isBefore(expired)
                        || request.scope().lost().include(event.lockedBy(), event.eventId()))
                .limit(request.limit() + 1L)
                .toList();
        int count = pageSize(request.limit(), request.maxBytes(), found);
        List<StoredEvent> claimed = first(count, found);
        int takenOver = (int) claimed.stream()
                .filter(event -> event.lockedBy() != null && !request.lease().isHeldBy(event.lockedBy()))
                .count();
        claimed.forEach(event -> replace(event, event.lockedBy(request.lease().holder(), now)));
        return new ClaimedPage(dueEvents(claimed), takenOver, cursor(count, found));
    }

    @Override
    public synchronized KeyedPage claimKeyed(KeyedRequest request) {
        Instant now = currentTime();
        List<KeyedPage.KeyedEvent> taken = new ArrayList<>();
        int takenOver = 0;
        long bytes = 0;
        for (String key : request.keys()) {
            int run = 0;
            List<StoredEvent> ofKey = keys.inOrder(key, pending);
            if (!ofKey.stream().allMatch(event -> isFree(event, request))) {
                continue;
            }
            for (StoredEvent event : ofKey) {
                if (run == request.limit().run() || bytes >= request.limit().bytes() || !qualifies(event, request)) {
                    break;
                }
                run++;
                DueEvent due = new DueEvent(event.event(), event.lastError());
                bytes += due.bytes();
                taken.add(new KeyedPage.KeyedEvent(due, key, keys.numberOf(event.eventId())));
                if (request.lease() != null) {
                    takenOver += event.lockedBy() != null && !request.lease().isHeldBy(event.lockedBy()) ? 1 : 0;
                    replace(event, event.lockedBy(request.lease().holder(), now));
                }
            }
        }
        return new KeyedPage(taken, takenOver);
    }

    private static boolean qualifies(StoredEvent event, KeyedRequest request) {
        return !event.availableAt().isAfter(request.dueUntil())
                && request.types().contains(event.eventType());
    }

    private static boolean isFree(StoredEvent event, KeyedRequest request) {
        return request.lease() == null
                || event.lockedBy() == null
                || event.lockedAt().isBefore(request.lockExpiry())
                || request.lost().include(event.lockedBy(), event.eventId());
    }

    @Override
    public synchronized List<KeyHead> keyHeads(String after, int limit) {
        return keys.heads(pending, after, limit);
    }

    @Override
    public synchronized List<BlockedKey> blockedKeys(BlockedKey.Order order, BlockedKey after, int limit) {
        return keys.blocked(pending, order, after, limit);
    }

    @Override
    public synchronized BlockedKey.Figures blockedFigures() {
        return keys.blockedFigures(pending);
    }

    /** Returns how many of the events a page has: the one that reaches the bytes is its last. */
    private static int pageSize(int limit, long maxBytes, List<StoredEvent> found) {
        int count = 0;
        for (long bytes = 0; count < Math.min(limit, found.size()) && bytes < maxBytes; count++) {
            bytes += new DueEvent(found.get(count).event(), null).bytes();
        }
        return count;
    }

    private static <T> List<T> first(int limit, List<T> found) {
        return found.subList(0, Math.min(limit, found.size()));
    }

    /** Returns the place behind the last event of a page, or {@code null} if no more was found. */
    private static PageCursor cursor(int limit, List<StoredEvent> found) {
        return found.size() > limit ? new Place(found.get(limit - 1).event()) : null;
    }

    private static List<DueEvent> dueEvents(List<StoredEvent> page) {
        return page.stream()
                .sorted(Comparator.comparing(StoredEvent::event, CREATION_ORDER))
                .map(event -> new DueEvent(event.event(), event.lastError()))
                .toList();
    }

    private Stream<StoredEvent> due(Instant now, Instant createdUntil, EventTypes types, PageCursor after) {
        return unordered()
                .takeWhile(event -> !event.availableAt().isAfter(now))
                .filter(event -> !event.createdAt().isAfter(createdUntil))
                .filter(event -> types.contains(event.eventType()))
                .filter(event -> isBehind(after, event.event(), PAGE_ORDER));
    }

    /** Returns the pending events that keep no order, which are handed out as they are due. */
    private Stream<StoredEvent> unordered() {
        return pending.stream().filter(event -> !keys.has(event.eventId()));
    }

    private static boolean isBehind(PageCursor after, OutboxEvent event, Comparator<OutboxEvent> order) {
        return after == null || order.compare(event, ((Place) after).event) > 0;
    }

    @Override
    public Map<String, EventStatus> apply(String holder, List<Outcome> outcomes) {
        return apply(event -> holder == null || holder.equals(event.lockedBy()), outcomes);
    }

    @Override
    public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        return apply(event -> event.lockedBy() == null, outcomes);
    }

    private synchronized Map<String, EventStatus> apply(Predicate<StoredEvent> fence, List<Outcome> outcomes) {
        Map<String, EventStatus> standing = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            StoredEvent event = events.get(outcome.eventId());
            if (event != null
                    && event.isPending()
                    && fence.test(event)
                    && !Transitions.isCountedAlready(event, outcome)) {
                event = change(event, outcome);
            }
            if (event == null && Transitions.deletes(outcome)) {
                standing.put(outcome.eventId(), EventStatus.DONE);
            } else if (event != null && Transitions.shows(event, outcome)) {
                standing.put(event.eventId(), event.status());
            }
        }
        return standing;
    }

    /** Returns what the outcome makes of an event; {@code null} if that is nothing. */
    private StoredEvent change(StoredEvent event, Outcome outcome) {
        if (Transitions.deletes(outcome)) {
            pending.remove(event);
            events.remove(event.eventId());
            return null;
        }
        StoredEvent changed = Transitions.after(event, outcome);
        replace(event, changed);
        return changed;
    }

    @Override
    public synchronized Set<String> doneAmong(Collection<String> eventIds) {
        Set<String> done = new HashSet<>();
        for (String id : eventIds) {
            StoredEvent event = events.get(id);
            if (event != null && event.status() == EventStatus.DONE) {
                done.add(id);
            }
        }
        return done;
    }

    @Override
    public synchronized Set<String> renew(String holder, Collection<String> eventIds) {
        Instant now = currentTime();
        Set<String> renewed = new HashSet<>();
        for (StoredEvent event : heldBy(holder, eventIds)) {
            replace(event, event.lockedBy(holder, now));
            renewed.add(event.eventId());
        }
        return renewed;
    }

    @Override
    public synchronized int release(String holder, Collection<String> eventIds) {
        List<StoredEvent> held = heldBy(holder, eventIds);
        held.forEach(event -> replace(event, event.unlocked()));
        return held.size();
    }

    private List<StoredEvent> heldBy(String holder, Collection<String> eventIds) {
        List<StoredEvent> held = new ArrayList<>();
        for (String id : new HashSet<>(eventIds)) {
            StoredEvent event = events.get(id);
            if (event != null && event.isPending() && holder.equals(event.lockedBy())) {
                held.add(event);
            }
        }
        return held;
    }

    @Override
    public Instant currentTime() {
        return micros(clock.instant());
    }

    @Override
    public synchronized Optional<Instant> nextDueAt(Instant now) {
        return unordered()
                .map(StoredEvent::availableAt)
                .filter(availableAt -> availableAt.isAfter(now))
                .findFirst();
    }

    @Override
    public synchronized Optional<Instant> oldestDueAt(Instant now) {
        return unordered().map(StoredEvent::availableAt).findFirst().filter(availableAt -> !availableAt.isAfter(now));
    }

    /** The front: what is finished is in no one's way. */
    @Override
    public PageCursor placeOf(Instant due) {
        return null;
    }

    @Override
    public synchronized DueTypes lookByType(List<DueType> known, Instant from) {
        return DueTypes.of(
                unordered()
                        .map(event -> new DueType(event.eventType(), event.availableAt()))
                        .toList(),
                true);
    }

    // Housekeeping

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
                    InMemoryTable::sum);
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
    public synchronized Page<OutboxEvent> queryDead(DeadQuery query) {
        String aggregateType = query.aggregateType();
        List<OutboxEvent> found = dead(query.eventType())
                .filter(event -> aggregateType == null || aggregateType.equals(event.aggregateType()))
                .filter(event -> isBehind(query.after(), event, CREATION_ORDER))
                .sorted(CREATION_ORDER)
                .limit(query.limit() + 1L)
                .toList();
        return new Page<>(
                first(query.limit(), found),
                found.size() > query.limit() ? new Place(found.get(query.limit() - 1)) : null);
    }

    @Override
    public synchronized int replayDead(Collection<String> eventIds) {
        int replayed = 0;
        for (String id : new HashSet<>(eventIds)) {
            StoredEvent event = events.get(id);
            if (event != null && event.status() == EventStatus.DEAD) {
                replace(event, event.becoming(EventStatus.NEW, 0, currentTime()).withError(null));
                replayed++;
            }
        }
        return replayed;
    }

    @Override
    public synchronized int countDead(String eventType) {
        return (int) dead(eventType).count();
    }

    @Override
    public synchronized List<InspectedEvent> lookUp(Collection<String> eventIds) {
        return new HashSet<>(eventIds)
                .stream()
                        .map(events::get)
                        .filter(Objects::nonNull)
                        .map(StoredEvent::inspected)
                        .toList();
    }

    @Override
    public Optional<InspectionBackend> inspection() {
        return Optional.empty();
    }

    @Override
    public Optional<DeadEventBackend> deadEvents() {
        return Optional.empty();
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
}
