package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimRequest.Scope;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of ownership: one holder at a time, until release, outcome or the end of the lease. */
abstract class LeaseRules extends EngineRules {

    LeaseRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    /** What a claim brought, and how many events of it another owner had. */
    private record Taken(List<String> ids, int takenOver) {}

    private Taken claimAsHeir(Instant asOf, boolean takeOver) {
        Scope scope = new Scope(EventTypes.ALL, Duration.ZERO, takeOver);
        ClaimedPage claimed = backend.claim(new ClaimRequest(new Lease("heir", SHORT_LEASE), asOf, scope, 100, null));
        return new Taken(rowIds(rows(claimed)), claimed.takenOver());
    }

    private Taken claimAsHeir() {
        return claimAsHeir(backend.currentTime(), true);
    }

    // Taking over

    @Test
    void aClaimIsTakenOverOnceItsLeaseHasRunOut() {
        String id = storeDue();
        claim("dead node", SHORT_LEASE, 10);

        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(claimAsHeir()).isEqualTo(new Taken(List.of(id), 1));
        assertThat(stored(id).lockedBy()).isEqualTo("heir");
        assertThat(stored(id).attempts()).isZero();
    }

    @Test
    void onlyWhatAnotherHeldCountsAsTakenOver() {
        List<EventEnvelope> events = dueEvents(9);
        store(events.subList(0, 2), "dead writer");
        store(events.subList(2, 5), null);
        assertThat(claim("dead node", 100)).hasSize(3);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));
        store(events.subList(5, 9), null);

        assertThat(claimAsHeir()).isEqualTo(new Taken(ids(events), 5));
    }

    @Test
    void aClaimThatTakesNothingOverLeavesWhatHasRunOut() {
        String stuck = storeDue();
        claim("dead node", SHORT_LEASE, 10);
        String free = storeDue();
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(claimAsHeir(backend.currentTime(), false)).isEqualTo(new Taken(List.of(free), 0));
        finish(List.of(free));
        assertThat(claimAsHeir(backend.currentTime(), true)).isEqualTo(new Taken(List.of(stuck), 1));
    }

    @Test
    void whatRanOutAfterTheTimeOfTheClaimIsNotTakenOver() {
        List<EventEnvelope> events = dueEvents(2);
        store(events.subList(0, 1), "writer");
        store(events.subList(1, 2), null);
        claim("node", 10);
        Instant asOf = backend.currentTime();
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(claimAsHeir(asOf, true)).isEqualTo(new Taken(List.of(), 0));

        assertThat(stored(events.get(0).eventId()).lockedBy()).isEqualTo("writer");
        assertThat(stored(events.get(1).eventId()).lockedBy()).isEqualTo("node");
        assertThat(claimAsHeir()).isEqualTo(new Taken(ids(events), 2));
    }

    @Test
    void whatALostAnswerLeftBehindIsTakenByTheNextClaimOfTheSameNode() {
        List<String> ids = storeDue(6);
        Lease before = new Lease("a", LONG_LEASE);
        backend.claim(ClaimRequest.first(before, backend.currentTime(), 4));
        Lease after = before.withToken(1);
        LostClaims lost = new LostClaims(Set.of(before.holder()), Set.of(ids.get(0)));
        Scope scope = new Scope(EventTypes.ALL, Duration.ZERO, false, lost);

        ClaimedPage claimed = backend.claim(new ClaimRequest(after, backend.currentTime(), scope, 10, null));

        assertThat(rowIds(rows(claimed))).containsExactlyElementsOf(ids.subList(1, 6));
        assertThat(claimed.takenOver()).isZero();
        assertThat(stored(ids.get(0)).lockedBy()).isEqualTo(before.holder());
        assertThat(stored(ids.subList(1, 6))).extracting(StoredEvent::lockedBy).containsOnly(after.holder());
    }

    @Test
    void whatALostAnswerLeftBehindIsNobodyElses() {
        storeDue(3);
        Lease before = new Lease("a", LONG_LEASE);
        backend.claim(ClaimRequest.first(before, backend.currentTime(), 3));

        assertThat(claim("b", 10)).isEmpty();
        assertThat(rows(backend.claim(ClaimRequest.first(before.withToken(1), backend.currentTime(), 10))))
                .isEmpty();
    }

    @Test
    void aLockBeginsWhenTheStoreLocksHoweverOldTheRequest() {
        String id = store(aged(Duration.ofHours(3)));
        Instant before = backend.currentTime();

        backend.claim(ClaimRequest.first(new Lease("slow", LONG_LEASE), before.minus(Duration.ofHours(2)), 10));

        assertThat(stored(id).lockedAt()).isBetween(before, backend.currentTime());
        assertThat(claim("other", LONG_LEASE, 10)).isEmpty();
        assertThat(backend.renew("slow", List.of(id))).containsExactly(id);
    }

    // Renewing

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

    // Giving back

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
}
