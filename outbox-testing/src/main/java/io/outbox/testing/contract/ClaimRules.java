package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.Scope;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of claiming: which events a claimant gets, in which order, and how claims follow each other. */
abstract class ClaimRules extends EngineRules {

    ClaimRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    private List<OutboxEvent> claim(String ownerId, Scope scope, int limit) {
        return rows(backend.claim(
                new ClaimRequest(new Lease(ownerId, LONG_LEASE), backend.currentTime(), scope, limit, null)));
    }

    private List<String> claimTypes(EventTypes types) {
        return rowIds(claim("a", new Scope(types, Duration.ZERO, true), 100));
    }

    @Test
    void anEmptyStoreHasNothingToClaim() {
        ClaimedPage page = backend.claim(claimNow("a", LONG_LEASE, 10));

        assertThat(page.events()).isEmpty();
        assertThat(page.takenOver()).isZero();
        assertThat(page.next()).isNull();
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
    void aClaimEndsWithTheEventThatReachesItsBytes() {
        List<String> ids = storeLargeEvents();
        ClaimRequest request = claimNow("a", LONG_LEASE, 100).upTo(25_000);

        ClaimedPage first = backend.claim(request);
        ClaimedPage second = backend.claim(request.after(first.next()));

        assertThat(rowIds(rows(first))).containsExactlyElementsOf(ids.subList(0, 3));
        assertThat(rowIds(rows(second))).containsExactlyElementsOf(ids.subList(3, 6));
        assertThat(rowIds(claim("b", 100))).containsExactlyElementsOf(ids.subList(6, 10));
    }

    @Test
    void aClaimGetsAtLeastOneEventHoweverLargeItIs() {
        List<String> ids = storeLargeEvents();

        ClaimedPage page = backend.claim(claimNow("a", LONG_LEASE, 100).upTo(1));

        assertThat(rowIds(rows(page))).containsExactly(ids.get(0));
        assertThat(page.next()).isNotNull();
    }

    @Test
    void retriesAndNewEventsAreClaimedInOneOrder() {
        List<String> inOrder = storeRetriesAmongNewEvents();

        assertThat(rowIds(claim("a", 1))).containsExactly(inOrder.get(0));
        assertThat(rowIds(claim("b", 9))).containsExactlyElementsOf(inOrder.subList(1, 10));
        assertThat(rowIds(claim("c", 100))).containsExactlyElementsOf(inOrder.subList(10, 30));
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
    void finishedEventsAreNotClaimed() {
        List<String> ids = storeDue(3);
        backend.apply(null, List.of(new Outcome.Done(ids.get(0), engine.now()), new Outcome.Dead(ids.get(1), "dead")));

        assertThat(rowIds(claim("a", 10))).containsExactly(ids.get(2));
    }

    @Test
    void onlyTheTypesAskedForAreClaimed() {
        backend.prepareReadsByType();
        TypedEvents events = storeThreeTypes();

        assertThat(claimTypes(EventTypes.only("Unknown"))).isEmpty();
        assertThat(claimTypes(EventTypes.only("A"))).containsExactlyElementsOf(events.of("A"));
        assertThat(claimTypes(EventTypes.except(List.of("A", "B")))).containsExactlyElementsOf(events.of("C"));
        assertThat(claimTypes(EventTypes.except(List.of("A")))).containsExactlyElementsOf(events.of("B"));
        assertThat(claimTypes(EventTypes.ALL)).isEmpty();
    }

    @Test
    void eventsNotYetDueAndRecentOnesAreNotClaimed() {
        store(event().availableAt(engine.now().plus(Duration.ofHours(1))).build());
        String recent = store(aged(Duration.ofSeconds(30)));
        String old = store(aged(Duration.ofMinutes(30)));

        List<OutboxEvent> claimed = claim("a", new Scope(EventTypes.ALL, Duration.ofMinutes(10), true), 10);

        assertThat(rowIds(claimed)).containsExactly(old);
        assertThat(rowIds(claim("a", 10))).containsExactly(recent);
    }

    @Test
    void anEventThatBecameDueAfterTheTimeOfTheClaimIsLeft() {
        Instant asOf = backend.currentTime().minusSeconds(60);
        EventEnvelope before = event().occurredAt(asOf.minusSeconds(9)).build();
        EventEnvelope after = event().occurredAt(asOf.minusSeconds(9))
                .availableAt(asOf.plusSeconds(9))
                .build();
        store(List.of(before, after), null);

        List<OutboxEvent> claimed = rows(backend.claim(ClaimRequest.first(new Lease("a", LONG_LEASE), asOf, 10)));

        assertThat(rowIds(claimed)).containsExactly(before.eventId());
        assertThat(rowIds(claim("a", 10))).containsExactly(after.eventId());
    }

    // Walks from claim to claim

    /** Claims page by page until nothing follows; between pages, others do something. */
    private List<String> walk(String ownerId, int limit, Runnable between) {
        ClaimRequest first = claimNow(ownerId, LONG_LEASE, limit);
        return Pages.all(Pages.within(limit, after -> {
            ClaimedPage page = backend.claim(first.after(after));
            between.run();
            return new Page<>(rowIds(rows(page)), page.next());
        }));
    }

    @Test
    void aWalkClaimsEveryDueEventOnceAndEnds() {
        List<String> ids = storeRetriesAmongNewEvents();

        assertThat(walk("a", 7, () -> {})).containsExactlyInAnyOrderElementsOf(ids);

        assertThat(walk("a", 7, () -> {})).isEmpty();
    }

    @Test
    void aWalkThroughSeveralTypesClaimsTheirEventsOnceInOneOrder() {
        backend.prepareReadsByType();
        TypedEvents events = storeThreeTypes();
        backend.apply(
                null,
                List.of(new Outcome.Failed(events.of("A").get(9), engine.now().minusSeconds(90), 0, 9, "x")));
        Scope scope = new Scope(new EventTypes(List.of("C", "A", "Unknown"), false), Duration.ZERO, true);
        ClaimRequest first = new ClaimRequest(new Lease("a", LONG_LEASE), backend.currentTime(), scope, 4, null);

        List<String> walked = Pages.all(Pages.within(4, after -> {
            ClaimedPage page = backend.claim(first.after(after));
            return new Page<>(rowIds(rows(page)), page.next());
        }));

        assertThat(walked.subList(0, 4))
                .as("the retry is due first")
                .contains(events.of("A").get(9));
        assertThat(walked).containsExactlyInAnyOrderElementsOf(events.of("A", "C"));
        assertThat(backend.claim(first).events()).isEmpty();
        assertThat(claimTypes(EventTypes.ALL)).containsExactlyElementsOf(events.of("B"));
    }

    @Test
    void aClaimOfSeveralTypesTakesOverWhatWasLeftBehind() {
        backend.prepareReadsByType();
        TypedEvents events = storeThreeTypes();
        backend.claim(new ClaimRequest(new Lease("gone", LONG_LEASE), backend.currentTime(), Scope.ALL, 15, null));
        Scope scope = new Scope(new EventTypes(List.of("A", "B"), false), Duration.ZERO, true);

        ClaimedPage page = backend.claim(new ClaimRequest(
                new Lease("a", LONG_LEASE),
                backend.currentTime().plus(LONG_LEASE).plusSeconds(1),
                scope,
                100,
                null));

        assertThat(rowIds(rows(page))).containsExactlyElementsOf(events.of("A", "B"));
        assertThat(page.takenOver()).isEqualTo(10);
    }

    @Test
    void aWalkFromATimeOnClaimsWhatIsDueFromThenOn() {
        List<EventEnvelope> events = dueEvents(30);
        store(events, null);
        Instant middle = events.get(10).occurredAt();

        List<OutboxEvent> claimed =
                rows(backend.claim(claimNow("a", LONG_LEASE, 100).after(backend.placeOf(middle))));

        assertThat(rowIds(claimed)).containsAll(ids(events).subList(10, 30));
    }

    @Test
    void whereAClaimGetsTheRestNothingFollows() {
        storeDue(9);

        assertThat(backend.claim(claimNow("a", LONG_LEASE, 10)).next()).isNull();
    }

    @Test
    void aWalkLeavesWhatItHasPassedToTheNext() {
        List<String> ids = storeDue(30);
        List<String> released = new ArrayList<>();
        Random random = new Random(23);

        List<String> walked = walk("a", 7, () -> {
            String one = ids.get(random.nextInt(ids.size()));
            if (backend.release("a", List.of(one)) > 0) {
                released.add(one);
            }
        });

        assertThat(walked).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(released).isNotEmpty();
        assertThat(walk("b", 7, () -> {})).containsExactlyInAnyOrderElementsOf(released);
    }

    @Test
    void aWalkAmongOtherClaimantsSkipsNothingAndClaimsNothingTwice() {
        List<String> ids = storeDue(200);
        List<String> byOthers = new ArrayList<>();
        Random random = new Random(29);

        List<String> walked = walk("a", 5, () -> byOthers.addAll(rowIds(claim("b", random.nextInt(7) + 1))));

        assertThat(walked).isNotEmpty();
        List<String> all = new ArrayList<>(walked);
        all.addAll(byOthers);
        assertThat(all).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void whatIsCommittedBehindAWalkIsFoundFromTheFront() {
        List<String> ids = storeDue(20);
        ClaimRequest first = claimNow("a", LONG_LEASE, 5);
        ClaimedPage page = backend.claim(first);
        assertThat(rowIds(rows(page))).containsExactlyElementsOf(ids.subList(0, 5));
        EventEnvelope late = aged(Duration.ofMinutes(5));

        store(late);

        assertThat(rowIds(rows(backend.claim(first)))).startsWith(late.eventId());
    }
}
