package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Rules of ownership: one holder at a time, until release, outcome or the end of the lease. */
abstract class ClaimRules extends FetchRules {

    /** How many threads claim at the same time. */
    protected int concurrentClaimers() {
        return 8;
    }

    /** How many events they compete for in each round. */
    protected int claimedEventsPerRound() {
        return 200;
    }

    /** How often the race is run. */
    protected int claimRounds() {
        return 8;
    }

    @Test
    void theEngineCanClaim() {
        assertThat(backend.supportsClaiming()).isTrue();
    }

    @Test
    void aClaimedEventBelongsToItsClaimant() {
        String id = storeDue();

        List<OutboxEvent> claimed = claim("a", 10);

        assertThat(rowIds(claimed)).containsExactly(id);
        assertThat(stored(id).lockedBy()).isEqualTo("a");
        assertThat(stored(id).status()).isEqualTo(EventStatus.NEW);
        assertThat(claim("b", 10)).isEmpty();
        assertThat(claim("a", 10)).isEmpty();
    }

    @Test
    void claimsComeInOrderOfCreationAndWithinTheirLimit() {
        List<EventEnvelope> events = dueEvents(50);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(11));
        store(shuffled, null);

        assertThat(rowIds(claim("a", 20))).containsExactlyElementsOf(ids(events).subList(0, 20));
        assertThat(rowIds(claim("b", 20))).containsExactlyElementsOf(ids(events).subList(20, 40));
        assertThat(rowIds(claim("c", 20))).containsExactlyElementsOf(ids(events).subList(40, 50));
    }

    @Test
    void retriesAndNewEventsAreClaimedInOneOrder() {
        Mixed mixed = storeRetriesAmongNewEvents();

        assertThat(rowIds(claim("a", 1))).containsExactly(mixed.oldestRetry());
        assertThat(rowIds(claim("b", 9)))
                .containsExactlyElementsOf(mixed.inOrder().subList(1, 10));
        assertThat(rowIds(claim("c", 100)))
                .containsExactlyElementsOf(mixed.inOrder().subList(10, 30));
    }

    @Test
    void claimsOfAWalkFollowEachOtherAndLeaveWhatTheyHavePassed() {
        Mixed mixed = storeRetriesAmongNewEvents();
        List<String> walked = new ArrayList<>();
        OutboxEvent after = null;
        for (List<OutboxEvent> page; !(page = claimAfter(after, 7)).isEmpty(); ) {
            walked.addAll(rowIds(page));
            after = Collections.max(page, PAGE_ORDER);
            backend.release("a", List.of(page.get(0).eventId()));
        }

        assertThat(walked).containsExactlyInAnyOrderElementsOf(mixed.inOrder());
        assertThat(claimAfter(null, 100)).isNotEmpty();
    }

    private List<OutboxEvent> claimAfter(OutboxEvent after, int limit) {
        return backend.claim(new ClaimRequest(
                new Lease("a", LONG_LEASE), Duration.ZERO, EventTypes.ALL, limit, after, true, takenOver -> {}));
    }

    @Test
    void onlyTheTypesAskedForAreClaimed() {
        TypedEvents events = storeThreeTypes();

        assertThat(claimTypes(EventTypes.only("Unknown"))).isEmpty();
        assertThat(claimTypes(EventTypes.only("A"))).containsExactlyElementsOf(events.of("A"));
        assertThat(claimTypes(EventTypes.except(List.of("A", "B")))).containsExactlyElementsOf(events.of("C"));
        assertThat(claimTypes(EventTypes.except(List.of("A")))).containsExactlyElementsOf(events.of("B"));
        assertThat(claimTypes(EventTypes.ALL)).isEmpty();
    }

    private List<String> claimTypes(EventTypes types) {
        return rowIds(backend.claim(new ClaimRequest(new Lease("a", LONG_LEASE), Duration.ZERO, types, 100)));
    }

    @Test
    void retriesAreClaimedWithTheirAttempts() {
        String id = storeDue();
        backend.apply(null, List.of(new Outcome.Failed(id, engine.now().minusSeconds(1), 0, 9, "once")));

        List<OutboxEvent> claimed = claim("a", 10);

        assertThat(rowIds(claimed)).containsExactly(id);
        assertThat(claimed.get(0).attempts()).isEqualTo(1);
    }

    @Test
    void eventsNotYetDueAndRecentOnesAreNotClaimed() {
        store(event().availableAt(engine.now().plus(Duration.ofHours(1))).build());
        String recent = store(aged(Duration.ofSeconds(30)));
        String old = store(aged(Duration.ofMinutes(30)));

        List<OutboxEvent> claimed =
                backend.claim(new ClaimRequest(new Lease("a", LONG_LEASE), Duration.ofMinutes(10), 10));

        assertThat(rowIds(claimed)).containsExactly(old);
        assertThat(rowIds(claim("a", 10))).containsExactly(recent);
    }

    @Test
    void aClaimIsTakenOverOnceItsLeaseHasRunOut() {
        String id = storeDue();
        claim("dead node", SHORT_LEASE, 10);

        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(rowIds(claim("heir", SHORT_LEASE, 10))).containsExactly(id);
        assertThat(stored(id).lockedBy()).isEqualTo("heir");
        assertThat(stored(id).attempts()).isZero();
    }

    @Test
    void aClaimThatTakesNothingOverLeavesWhatHasRunOut() {
        String stuck = storeDue();
        claim("dead node", SHORT_LEASE, 10);
        String free = storeDue();
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(claimAsHeir(false)).isEqualTo(new Taken(List.of(free), 0));
        backend.apply("heir", List.of(new Outcome.Done(free, engine.now())));
        assertThat(claimAsHeir(true)).isEqualTo(new Taken(List.of(stuck), 1));
    }

    /** What a claim brought, and how many events of it another owner had. */
    private record Taken(List<String> ids, int takenOver) {}

    private Taken claimAsHeir(boolean takeOver) {
        List<Integer> counts = new ArrayList<>();
        List<OutboxEvent> claimed = backend.claim(new ClaimRequest(
                new Lease("heir", SHORT_LEASE), Duration.ZERO, EventTypes.ALL, 10, null, takeOver, counts::add));
        return new Taken(
                rowIds(claimed), counts.stream().mapToInt(Integer::intValue).sum());
    }

    @Test
    void renewingKeepsAClaimBeyondItsLease() {
        String id = storeDue();
        Duration lease = SHORT_LEASE;
        claim("a", lease, 10);
        for (boolean decided = false; !decided; lease = lease.multipliedBy(2)) {
            assertThat(lease).as("the machine is too slow to tell").isLessThan(Duration.ofSeconds(30));
            engine.letTimePass(lease.plus(lease.dividedBy(2)));

            Instant renewedAfter = engine.now();
            Set<String> renewed = backend.renew("a", List.of(id));
            List<OutboxEvent> taken = claim("b", lease, 10);

            assertThat(renewed).containsExactly(id);
            decided = Duration.between(renewedAfter, engine.now()).compareTo(lease) < 0;
            if (decided) {
                assertThat(taken).isEmpty();
            } else {
                backend.release("b", List.of(id));
                claim("a", lease, 10);
            }
        }
        assertThat(stored(id).lockedBy()).isEqualTo("a");
    }

    @Test
    void renewingReportsExactlyWhatTheOwnerStillHolds() {
        List<String> ids = storeDue(6);
        claim("a", 4);
        claim("b", 1);
        backend.apply("a", List.of(new Outcome.Done(ids.get(0), engine.now())));
        backend.release("a", List.of(ids.get(1)));

        List<String> asked = new ArrayList<>(ids);
        asked.add("unknown");

        assertThat(backend.renew("a", asked)).containsExactlyInAnyOrder(ids.get(2), ids.get(3));
        assertThat(backend.renew("b", asked)).containsExactly(ids.get(4));
        assertThat(backend.renew("nobody", asked)).isEmpty();
        assertThat(backend.renew("a", List.of())).isEmpty();
        assertThat(stored(ids.get(5)).lockedBy()).isNull();
    }

    @Test
    void aReleasedEventIsClaimableAtOnce() {
        List<String> ids = storeDue(3);
        claim("a", 10);

        assertThat(backend.release("a", ids.subList(0, 2))).isEqualTo(2);

        assertThat(rowIds(claim("b", 10))).containsExactlyElementsOf(ids.subList(0, 2));
        assertThat(stored(ids.get(2)).lockedBy()).isEqualTo("a");
    }

    @Test
    void releasingKeepsStatusAttemptsAndDueTime() {
        String id = storeDue();
        Instant retryAt = engine.now().minusSeconds(1);
        backend.apply(null, List.of(new Outcome.Failed(id, retryAt, 0, 9, "once")));
        claim("a", 10);

        backend.release("a", List.of(id));

        StoredEvent released = stored(id);
        assertThat(released.status()).isEqualTo(EventStatus.RETRY);
        assertThat(released.attempts()).isEqualTo(1);
        assertThat(released.availableAt()).isEqualTo(retryAt);
        assertThat(released.lockedBy()).isNull();
    }

    @Test
    void onlyTheOwnerCanRelease() {
        List<String> ids = storeDue(2);
        claim("a", 1);

        assertThat(backend.release("b", ids)).isZero();
        assertThat(backend.release("b", List.of("unknown"))).isZero();
        assertThat(backend.release("b", List.of())).isZero();

        assertThat(stored(ids.get(0)).lockedBy()).isEqualTo("a");
        assertThat(backend.release("a", ids)).isEqualTo(1);
    }

    @Test
    void finishedEventsCannotBeReleasedOrRenewed() {
        List<String> ids = storeDue(2);
        claim("a", 10);
        backend.apply("a", List.of(new Outcome.Done(ids.get(0), engine.now()), new Outcome.Dead(ids.get(1), "x")));

        assertThat(backend.release("a", ids)).isZero();
        assertThat(backend.renew("a", ids)).isEmpty();
        assertThat(claim("b", Duration.ofMillis(1), 10)).isEmpty();
    }

    @Test
    void manyEventsAreRenewedAndReleasedAtOnce() {
        List<String> ids = storeDue(600);
        List<String> claimed = rowIds(claim("a", 600));

        assertThat(claimed).containsExactlyElementsOf(ids);
        assertThat(backend.renew("a", ids)).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(backend.release("a", ids)).isEqualTo(600);
        assertThat(rowIds(claim("b", 600))).containsExactlyElementsOf(ids);
    }

    @Test
    void concurrentClaimersNeverShareAnEventAndMissNone() {
        for (int round = 0; round < claimRounds(); round++) {
            List<String> ids = storeDue(claimedEventsPerRound());
            Map<String, Integer> claims = new ConcurrentHashMap<>();

            race(owner -> {
                List<String> claimed = rowIds(claim(owner, 7));
                claimed.forEach(id -> claims.merge(id, 1, Integer::sum));
                return claims.size() < ids.size();
            });

            assertNoDuplicates(claims, ids.size());
            finish(ids);
        }
    }

    @Test
    void nodesThatClaimAndCompleteAtTheSameTimeDoNotDisturbEachOther() {
        for (int round = 0; round < claimRounds(); round++) {
            List<String> ids = storeDue(claimedEventsPerRound());
            Map<String, Integer> deliveries = new ConcurrentHashMap<>();

            race(owner -> {
                List<String> claimed = rowIds(claim(owner, 5));
                claimed.forEach(id -> deliveries.merge(id, 1, Integer::sum));
                Instant now = engine.now();
                Map<String, EventStatus> applied = backend.apply(
                        owner,
                        claimed.stream()
                                .map(id -> (Outcome) new Outcome.Done(id, now))
                                .toList());
                assertThat(applied.keySet()).containsExactlyInAnyOrderElementsOf(claimed);
                return deliveries.size() < ids.size();
            });

            assertNoDuplicates(deliveries, ids.size());
            assertThat(fetch(1)).isEmpty();
        }
    }

    @Test
    void writersAndClaimersAtTheSameTimeLoseNothing() {
        int writers = 4;
        int batches = 20;
        int total = writers * batches * 3;
        Map<String, Integer> deliveries = new ConcurrentHashMap<>();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            tasks.add(() -> {
                for (int batch = 0; batch < batches; batch++) {
                    store(dueEvents(3), null);
                }
                return null;
            });
            String owner = "node-" + i;
            tasks.add(() -> {
                Waiting.until(Duration.ofSeconds(30), () -> deliveries.size() + " of " + total, () -> {
                    List<String> claimed = rowIds(claim(owner, 5));
                    claimed.forEach(id -> deliveries.merge(id, 1, Integer::sum));
                    Instant now = engine.now();
                    backend.apply(
                            owner,
                            claimed.stream()
                                    .map(id -> (Outcome) new Outcome.Done(id, now))
                                    .toList());
                    return deliveries.size() >= total;
                });
                return null;
            });
        }

        inParallel(tasks);

        assertNoDuplicates(deliveries, total);
    }

    /** One step of a claimer; returns whether there is more to do. */
    private interface Step {
        boolean run(String ownerId);
    }

    private void race(Step step) {
        List<Callable<Void>> claimers = new ArrayList<>();
        for (int i = 0; i < concurrentClaimers(); i++) {
            String owner = "node-" + i;
            claimers.add(() -> {
                Instant giveUpAt = Instant.now().plusSeconds(30);
                while (step.run(owner)) {
                    assertThat(Instant.now()).as(owner + " still has work").isBefore(giveUpAt);
                }
                return null;
            });
        }
        inParallel(claimers);
    }

    private void finish(List<String> ids) {
        Instant now = engine.now();
        backend.apply(
                null,
                ids.stream().map(id -> (Outcome) new Outcome.Done(id, now)).toList());
    }
}
