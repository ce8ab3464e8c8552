package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimRequest.Scope;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import io.outbox.testing.contract.BackendModel.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Random operations on an engine, each compared with what {@link BackendModel} says.
 *
 * <p>Times are chosen so that the real time of the run does not matter: an event is due long since or in a distant
 * future, and a lease either outlasts the run or has run out. No two calls carry the same time, so that only a
 * deliberate repetition looks like one.
 */
final class BackendModelRun {

    private static final int KEPT_EVENTS = 60;
    private static final int MAX_ATTEMPTS = 4;
    private static final List<String> OWNERS = List.of("a", "b", "c");
    private static final List<String> TYPES = List.of("X", "Y");
    private static final Instant FRONT = Instant.parse("1000-01-01T00:00:00Z");
    private static final Duration BRIEF_LEASE = Duration.ofMillis(1);

    private final EngineUnderTest engine;
    private final OutboxBackend backend;
    private final Random random;
    private final Instant start;
    private final UniqueTimes times;
    private final BackendModel model = new BackendModel();
    private final List<String> forgotten = new ArrayList<>();
    private final List<Runnable> operations = new ArrayList<>();
    private final Map<String, Long> tokens = new HashMap<>();
    private final Map<String, List<Outcome>> unanswered = new HashMap<>();
    private List<DueType> known = List.of();
    private int errors;

    BackendModelRun(EngineUnderTest engine, long seed) {
        this.engine = engine;
        this.backend = engine.backend();
        this.random = new Random(seed);
        this.start = backend.currentTime();
        this.times = new UniqueTimes(start, random);
        OWNERS.forEach(owner -> tokens.put(owner, 0L));
        often(18, this::persist);
        often(1, this::persistDuplicate);
        often(22, this::claim);
        often(3, this::takeOver);
        often(2, this::claimAsOfTheStart);
        often(25, this::apply);
        often(8, this::release);
        often(6, this::renew);
        often(6, this::fetch);
        often(4, this::replay);
        often(3, this::queryDead);
        often(3, this::lookAtBacklog);
        often(2, this::purge);
        often(4, this::repeatLate);
    }

    private void often(int weight, Runnable operation) {
        operations.addAll(Collections.nCopies(weight, operation));
    }

    void run(int count) {
        backend.prepareReadsByType();
        for (int i = 0; i < count; i++) {
            operations.get(random.nextInt(operations.size())).run();
            if (i % 100 == 99) {
                compareAll();
            }
        }
        compareAll();
    }

    // Writing

    private void persist() {
        List<NewEvent> batch = new ArrayList<>();
        Set<String> owned = new HashSet<>();
        int room = KEPT_EVENTS - model.rows(Row::isPending).size();
        for (int i = Math.min(random.nextInt(4) + 1, room); i > 0; i--) {
            NewEvent event = newEvent();
            batch.add(event);
            if (event.ownerId() != null) {
                owned.add(event.event().eventId());
            }
        }
        if (batch.isEmpty()) {
            return;
        }
        if (backend.requiresActiveTransaction() && random.nextInt(5) == 0) {
            EngineRules.rollBack(engine, () -> backend.persist(batch));
            if (random.nextBoolean()) {
                batch.forEach(event -> forgotten.add(event.event().eventId()));
                return;
            }
        }
        engine.inTransaction(
                () -> assertThat(backend.persist(batch)).as("owned").isEqualTo(owned));
        batch.forEach(event -> model.add(event.event(), event.ownerId()));
    }

    private NewEvent newEvent() {
        EventEnvelope.Builder event =
                EventEnvelope.builder(oneOf(TYPES)).occurredAt(times.past()).payloadJson("{}");
        if (random.nextInt(5) == 0) {
            return NewEvent.unowned(event.availableAt(times.future()).build());
        }
        return new NewEvent(event.build(), random.nextBoolean() ? oneHolder() : null);
    }

    private void persistDuplicate() {
        List<String> stored = model.ids(row -> true);
        if (!stored.isEmpty()) {
            NewEvent fresh = newEvent();
            EventEnvelope duplicate = EventEnvelope.builder("X")
                    .eventId(oneOf(stored))
                    .payloadJson("{}")
                    .build();
            List<NewEvent> batch = List.of(fresh, new NewEvent(duplicate, random.nextBoolean() ? "a" : null));

            assertThatThrownBy(() -> engine.inTransaction(() -> backend.persist(batch)))
                    .as("duplicate")
                    .isInstanceOf(DuplicateEventException.class);

            forgotten.add(fresh.event().eventId());
        }
    }

    // Claims

    private void claim() {
        claim(EngineRules.LONG_LEASE, backend.currentTime(), random.nextBoolean(), false);
    }

    private void takeOver() {
        engine.letTimePass(Duration.ofMillis(3));
        boolean takesOver = random.nextInt(4) > 0;
        claim(BRIEF_LEASE, backend.currentTime(), takesOver, takesOver);
    }

    /** Every lock is younger than the time of this claim, so that none has run out by then. */
    private void claimAsOfTheStart() {
        engine.letTimePass(Duration.ofMillis(3));
        claim(BRIEF_LEASE, start, true, false);
    }

    /** Claims page by page, sometimes to the end. */
    private void claim(Duration lease, Instant asOf, boolean takeOver, boolean locksHaveRunOut) {
        String owner = oneOf(OWNERS);
        int limit = 1 + random.nextInt(10);
        LostClaims lost = random.nextInt(3) == 0 ? lostClaims(owner) : LostClaims.NONE;
        Scope scope = new Scope(someTypes(), Duration.ZERO, takeOver, lost);
        Lease claimant = new Lease(owner, lease).withToken(tokens.get(owner));
        ClaimRequest request = new ClaimRequest(claimant, asOf, scope, limit, null);
        Set<String> claimable = new HashSet<>(model.ids(row -> row.isDue(asOf)
                && scope.types().contains(row.eventType)
                && (row.lockedBy == null || locksHaveRunOut || lost.include(row.lockedBy, row.eventId))));
        int pages = random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1;
        for (int page = 0; page < pages && request != null; page++) {
            ClaimedPage claimed = backend.claim(request);
            compare(claimed, claimant, limit, claimable);
            request = claimed.next() == null ? null : request.after(claimed.next());
        }
        if (request == null) {
            assertThat(claimable).as("left though nothing follows").isEmpty();
        }
    }

    /** Returns what an owner may hold by earlier tokens, some of which it knows of. */
    private LostClaims lostClaims(String owner) {
        Lease lease = new Lease(owner, EngineRules.LONG_LEASE);
        Set<String> earlier = new HashSet<>();
        for (long token = 0; token < tokens.get(owner); token++) {
            earlier.add(lease.withToken(token).holder());
        }
        List<String> known = model.ids(row -> earlier.contains(row.lockedBy) && random.nextInt(4) == 0);
        return new LostClaims(earlier, Set.copyOf(known));
    }

    private void compare(ClaimedPage claimed, Lease claimant, int limit, Set<String> claimable) {
        List<OutboxEvent> rows = EngineRules.rows(claimed);
        assertThat(EngineRules.rowIds(rows))
                .as("claimed")
                .doesNotHaveDuplicates()
                .isSubsetOf(claimable);
        assertThat(rows).as("claimed").hasSize(Math.min(limit, claimable.size()));
        assertInOrderOfCreation(rows);
        int ofOthers = 0;
        int ofAnyone = 0;
        for (OutboxEvent event : rows) {
            Row row = model.find(event.eventId()).orElseThrow();
            assertThat(event.attempts()).isEqualTo(row.attempts);
            ofOthers += row.lockedBy != null && !claimant.isHeldBy(row.lockedBy) ? 1 : 0;
            ofAnyone += row.lockedBy != null ? 1 : 0;
            row.lockedBy = claimant.holder();
            claimable.remove(event.eventId());
        }
        assertThat(claimed.takenOver()).as("taken over").isBetween(ofOthers, ofAnyone);
    }

    private void release() {
        String owner = oneHolder();
        List<String> ids = someIds(owner);
        List<Row> held = model.rows(row -> ids.contains(row.eventId) && row.isHeldBy(owner));
        held.forEach(row -> row.lockedBy = null);

        assertThat(backend.release(owner, ids)).as("released").isEqualTo(held.size());
    }

    private void renew() {
        String owner = oneHolder();
        List<String> ids = someIds(owner);

        assertThat(backend.renew(owner, ids))
                .as("renewed")
                .containsExactlyInAnyOrderElementsOf(
                        model.ids(row -> ids.contains(row.eventId) && row.isHeldBy(owner)));
    }

    // Outcomes

    private void apply() {
        String owner = random.nextInt(4) == 0 ? null : oneHolder();
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, EventStatus> expected = new HashMap<>();
        for (String id : someIds(owner)) {
            Row row = model.find(id).orElse(null);
            Outcome outcome = outcome(id, row == null ? 0 : row.attempts, owner);
            outcomes.add(outcome);
            boolean deletes = outcome instanceof Outcome.Done done && !done.keep();
            if (row != null && row.takesOutcomesOf(owner)) {
                row.transit(outcome);
                expected.put(id, row.status);
                if (deletes) {
                    model.remove(List.of(id));
                    forgotten.add(id);
                }
            } else if (row == null && deletes) {
                expected.put(id, EventStatus.DONE);
            }
        }

        assertThat(backend.apply(owner, outcomes)).as("applied by " + owner).isEqualTo(expected);
        if (random.nextInt(3) == 0) {
            assertThat(backend.apply(owner, outcomes))
                    .as("repeated by " + owner)
                    .isEqualTo(expected);
        }
        if (random.nextInt(5) == 0) {
            Map<String, EventStatus> oneByOne = new HashMap<>();
            outcomes.forEach(outcome -> oneByOne.putAll(backend.apply(owner, List.of(outcome))));
            assertThat(oneByOne).as("repeated one by one by " + owner).isEqualTo(expected);
        }
        if (owner != null && random.nextInt(3) == 0) {
            loseTheAnswer(owner, outcomes.stream().filter(outcome -> expected.containsKey(outcome.eventId())));
        }
    }

    /** Lets the node not know that these outcomes were written, so that it takes another token. */
    private void loseTheAnswer(String holder, Stream<Outcome> written) {
        unanswered.put(holder, written.toList());
        tokens.merge(Lease.nodeOf(holder), 1L, Long::sum);
    }

    /** Repeats outcomes that had been written, after whatever became of the events since: nothing changes. */
    private void repeatLate() {
        for (Map.Entry<String, List<Outcome>> late : unanswered.entrySet()) {
            backend.apply(late.getKey(), late.getValue());
            late.getValue()
                    .forEach(outcome ->
                            model.find(outcome.eventId()).ifPresent(row -> row.assertShownBy(stored(row.eventId))));
        }
        unanswered.clear();
    }

    private Outcome outcome(String id, int attempts, String owner) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> new Outcome.Done(id, times.past(), random.nextInt(3) > 0);
            case 2, 3 ->
                new Outcome.Failed(id, pastOrFuture(), staleCount(attempts, owner), MAX_ATTEMPTS, "error " + errors++);
            case 4 -> new Outcome.Deferred(id, pastOrFuture());
            default -> new Outcome.Dead(id, "reason " + errors++);
        };
    }

    /** Returns a count that a caller may have; one without a lock must not have one that is too high. */
    private int staleCount(int attempts, String owner) {
        return random.nextInt(attempts + (owner == null ? 1 : MAX_ATTEMPTS));
    }

    // Reading

    private void fetch() {
        int limit = 1 + random.nextInt(20);
        Instant now = engine.now();
        FetchRequest first = new FetchRequest(now, Duration.ZERO, someTypes(), limit, null);
        List<String> due = model.due(now, first.types());

        List<OutboxEvent> page = EngineRules.rows(backend.fetch(first));
        List<DueEvent> all = Pages.all(Pages.within(limit, after -> backend.fetch(first.after(after))));

        assertThat(page).as("fetched").hasSize(Math.min(limit, due.size()));
        assertInOrderOfCreation(page);
        assertThat(all.stream().map(DueEvent::eventId).toList())
                .as("fetched page by page")
                .containsExactlyInAnyOrderElementsOf(due);
    }

    private void lookAtBacklog() {
        Instant now = engine.now();
        assertThat(backend.nextDueAt(now)).as("next due").isEqualTo(model.nextDueAt(now));
        assertThat(backend.oldestDueAt(now)).as("oldest due").isEqualTo(model.oldestDueAt(now));
        assertThat(firstOfEachType()).as("by type").isEqualTo(model.firstOfEachType());
        assertThat(backend.pending(now)).as("pending").containsExactlyInAnyOrderElementsOf(model.pending(now));
        assertThat(backend.counts()).as("counts").containsExactlyInAnyOrderElementsOf(model.counts());
    }

    private Map<String, Instant> firstOfEachType() {
        DueTypes found = backend.lookByType(known, FRONT);
        known = found.types().stream()
                .filter(type -> random.nextInt(3) > 0)
                .map(type -> new DueType(type.eventType(), FRONT))
                .toList();
        Map<String, Instant> first = new TreeMap<>();
        found.types().stream()
                .filter(type -> type.due() != null)
                .forEach(type -> first.put(type.eventType(), type.due()));
        return first;
    }

    // Dead events and purge

    private void queryDead() {
        String type = random.nextBoolean() ? null : oneOf(TYPES);
        int limit = 1 + random.nextInt(10);
        DeadQuery query = new DeadQuery(type, null, limit, null);
        List<String> dead =
                model.ids(row -> row.status == EventStatus.DEAD && (type == null || type.equals(row.eventType)));

        List<OutboxEvent> seen = Pages.all(Pages.within(limit, after -> backend.queryDead(query.after(after))));

        assertThat(EngineRules.rowIds(seen)).as("dead").containsExactlyInAnyOrderElementsOf(dead);
        assertInOrderOfCreation(seen);
        assertThat(backend.countDead(type)).as("dead").isEqualTo(dead.size());
    }

    private void replay() {
        List<String> ids = someIds(null);
        ids.addAll(model.ids(row -> row.status == EventStatus.DEAD && random.nextInt(3) == 0));
        List<Row> dead = model.rows(row -> ids.contains(row.eventId) && row.status == EventStatus.DEAD);

        assertThat(backend.replayDead(ids)).as("replayed").isEqualTo(dead.size());

        for (Row row : dead) {
            row.replay(stored(row.eventId).availableAt());
            assertThat(row.availableAt).isBeforeOrEqualTo(engine.now());
        }
    }

    private void purge() {
        Instant before = times.past();
        boolean all = random.nextBoolean();
        List<String> ended = model.endedBefore(before, row -> all || row.status == EventStatus.DONE);

        int purged = all ? backend.purge(before, 1_000) : backend.purgeDone(before, 1_000);

        assertThat(purged).as("purged").isEqualTo(ended.size());
        model.remove(ended);
        forgotten.addAll(ended);
    }

    // Comparison

    private void compareAll() {
        model.rows(row -> true).forEach(row -> row.assertShownBy(stored(row.eventId)));
        forgotten.forEach(id -> assertThat(engine.find(id)).isEmpty());
        forgotten.clear();
    }

    private StoredEvent stored(String id) {
        return engine.find(id).orElseThrow(() -> new AssertionError("event " + id + " is gone"));
    }

    private static void assertInOrderOfCreation(List<OutboxEvent> rows) {
        assertThat(rows.stream().map(OutboxEvent::createdAt).toList()).isSorted();
    }

    // Chance

    /** Returns some ids, mostly of events that the owner holds, with finished and unknown ones among them. */
    private List<String> someIds(String owner) {
        List<String> candidates = new ArrayList<>(model.ids(row -> {
            boolean likely = owner == null ? row.isPending() : owner.equals(row.lockedBy);
            return random.nextInt(10) < (likely ? 7 : 1);
        }));
        Collections.shuffle(candidates, random);
        List<String> chosen = new ArrayList<>(candidates.subList(0, Math.min(candidates.size(), random.nextInt(12))));
        if (random.nextInt(5) == 0) {
            chosen.add("unknown");
        }
        return chosen;
    }

    private EventTypes someTypes() {
        return switch (random.nextInt(4)) {
            case 0 -> EventTypes.only(oneOf(TYPES));
            case 1 -> EventTypes.except(List.of(oneOf(TYPES)));
            case 2 -> new EventTypes(TYPES.subList(0, 1 + random.nextInt(TYPES.size())), false);
            default -> EventTypes.ALL;
        };
    }

    /** Returns the name under which one of the owners holds what it takes now. */
    private String oneHolder() {
        return holder(oneOf(OWNERS));
    }

    private String holder(String owner) {
        return new Lease(owner, EngineRules.LONG_LEASE)
                .withToken(tokens.get(owner))
                .holder();
    }

    private String oneOf(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    private Instant pastOrFuture() {
        return random.nextInt(3) > 0 ? times.past() : times.future();
    }
}
