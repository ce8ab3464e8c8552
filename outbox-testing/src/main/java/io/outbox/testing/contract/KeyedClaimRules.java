package io.outbox.testing.contract;

import static io.outbox.model.BlockedKey.Order.NEWEST_FIRST;
import static io.outbox.model.BlockedKey.Order.OLDEST_FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.BlockedKey;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules of the operations by which events of a key are handed out. */
abstract class KeyedClaimRules extends EngineRules {

    private static final KeyedRequest.Limit LIMIT = new KeyedRequest.Limit(10, Long.MAX_VALUE);

    KeyedClaimRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @BeforeEach
    final void prepare() {
        backend.prepareKeys();
    }

    @Test
    void aClaimTakesTheRunOfAKeyFromItsHeadOn() {
        List<String> events = store("a", 4);
        store("b", 1);

        KeyedPage page = claim("node", "a");

        assertThat(ids(page)).isEqualTo(events);
        assertThat(page.events()).extracting(KeyedPage.KeyedEvent::key).containsOnly("a");
        assertThat(page.events())
                .extracting(KeyedPage.KeyedEvent::number)
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(stored(events.get(0)).lockedBy()).isEqualTo("node");
    }

    @Test
    void noOtherOperationHandsOutEventsThatKeepTheirOrder() {
        store("a", 2);
        String unkeyed = storeDue();

        assertThat(rowIds(fetch(10))).containsExactly(unkeyed);
        assertThat(rowIds(claim("node", 10))).containsExactly(unkeyed);
        assertThat(backend.nextDueAt(Instant.EPOCH)).isPresent();
    }

    @Test
    void aKeyWhoseHeadIsHeldGivesNothing() {
        List<String> events = store("a", 3);
        assertThat(claim("one", "a", 1).events()).hasSize(1);

        assertThat(claim("other", "a").events()).isEmpty();
        assertThat(claim("one", "a").events()).isEmpty();
        backend.apply("one", List.of(new Outcome.Done(events.get(0), engine.now())));

        assertThat(ids(claim("other", "a"))).isEqualTo(events.subList(1, 3));
    }

    @Test
    void aKeyWhoseHeadIsNotDueGivesNothing() {
        List<String> events = store("a", 2);
        claim("node", "a");
        backend.apply(
                "node",
                List.of(new Outcome.Failed(events.get(0), engine.now().plus(Duration.ofHours(1)), 0, 10, "not now")));
        backend.release("node", events.subList(1, 2));

        assertThat(claim("node", "a").events()).isEmpty();
        assertThat(backend.keyHeads("", 10))
                .singleElement()
                .satisfies(head -> assertThat(head.eventId()).isEqualTo(events.get(0)))
                .satisfies(head -> assertThat(head.attempts()).isEqualTo(1));
    }

    @Test
    void aRunEndsAtATypeThatIsNotWanted() {
        String wanted = store("a", 1).get(0);
        storeAll(List.of(event("a", "Unwanted")));
        store("a", 1);

        KeyedPage page = backend.claimKeyed(request("node", EventTypes.except(List.of("Unwanted")), LIMIT, "a"));

        assertThat(ids(page)).containsExactly(wanted);
    }

    @Test
    void aRunEndsAtItsLimits() {
        List<String> events = store("a", 5);

        assertThat(ids(claim("node", "a", 2))).isEqualTo(events.subList(0, 2));
        backend.release("node", events);
        assertThat(ids(backend.claimKeyed(request("node", EventTypes.ALL, new KeyedRequest.Limit(5, 1), "a"))))
                .isEqualTo(events.subList(0, 1));
    }

    @Test
    void whatIsGivenBackCanBeClaimedAgain() {
        List<String> events = store("a", 3);
        claim("one", "a");

        backend.release("one", events);

        assertThat(ids(claim("other", "a"))).isEqualTo(events);
    }

    @Test
    void anExpiredRunIsTakenOver() {
        List<String> events = store("a", 3);
        backend.claimKeyed(request("dead", EventTypes.ALL, LIMIT, "a"));

        KeyedPage page = backend.claimKeyed(new KeyedRequest(
                new Lease("other", SHORT_LEASE),
                future(),
                engine.now().plus(Duration.ofMinutes(1)),
                LostClaims.NONE,
                EventTypes.ALL,
                List.of("a"),
                LIMIT));

        assertThat(ids(page)).isEqualTo(events);
        assertThat(page.takenOver()).isEqualTo(3);
    }

    @Test
    void aNodeThatHasLostAKeyCanDoNothingToItsEvents() {
        List<String> events = store("a", 2);
        claim("late", "a");
        assertThat(takeOver("other", engine.now().plus(Duration.ofMinutes(1)))).isEqualTo(events);

        assertThat(backend.renew("late", events)).isEmpty();
        assertThat(backend.release("late", events)).isZero();
        assertThat(backend.apply("late", List.of(new Outcome.Done(events.get(0), engine.now()))))
                .isEmpty();
        assertThat(backend.apply("late", List.of(new Outcome.Done(events.get(1), engine.now(), false))))
                .isEmpty();

        assertThat(backend.keyHeads("", 10))
                .singleElement()
                .satisfies(head -> assertThat(head.eventId()).isEqualTo(events.get(0)))
                .satisfies(head -> assertThat(head.lockedBy()).isEqualTo("other"));
        assertThat(backend.renew("other", events)).containsExactlyInAnyOrderElementsOf(events);
    }

    @Test
    void aLockThatWasRenewedIsNotTakenOver() {
        List<String> events = store("a", 2);
        claim("one", "a");
        Instant sinceThen = backend.currentTime();

        assertThat(backend.renew("one", events)).containsExactlyInAnyOrderElementsOf(events);

        assertThat(takeOver("other", sinceThen)).isEmpty();
    }

    private List<String> takeOver(String node, Instant lockExpiry) {
        return ids(backend.claimKeyed(new KeyedRequest(
                new Lease(node, SHORT_LEASE),
                future(),
                lockExpiry,
                LostClaims.NONE,
                EventTypes.ALL,
                List.of("a"),
                LIMIT)));
    }

    @Test
    void whatALostAnswerLeftBehindIsTakenBack() {
        List<String> events = store("a", 2);
        claim("node", "a");
        Lease next = new Lease("node", LONG_LEASE, 1);

        KeyedPage page = backend.claimKeyed(new KeyedRequest(
                next,
                future(),
                Instant.EPOCH,
                new LostClaims(Set.of("node"), Set.of()),
                EventTypes.ALL,
                List.of("a"),
                LIMIT));

        assertThat(ids(page)).isEqualTo(events);
        assertThat(page.takenOver()).isZero();
        assertThat(stored(events.get(1)).lockedBy()).isEqualTo(next.holder());
    }

    @Test
    void aNodeThatIsAloneReadsWithoutLocks() {
        List<String> events = store("a", 3);
        claim("somebody", "a");

        KeyedPage page = backend.claimKeyed(
                new KeyedRequest(null, future(), Instant.EPOCH, LostClaims.NONE, EventTypes.ALL, List.of("a"), LIMIT));

        assertThat(ids(page)).isEqualTo(events);
        assertThat(stored(events.get(0)).lockedBy()).isEqualTo("somebody");
    }

    @Test
    void aWalkMeetsTheHeadOfEachKeyInOrder() {
        List<String> heads = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (int i = 10; i < 35; i++) {
            keys.add("k" + i);
            heads.add(store("k" + i, 1).get(0));
        }
        store("k20", 300);

        List<KeyHead> walked = new ArrayList<>();
        List<KeyHead> page;
        do {
            page = backend.keyHeads(
                    walked.isEmpty() ? "" : walked.get(walked.size() - 1).key(), 7);
            walked.addAll(page);
        } while (page.size() == 7);

        assertThat(walked).extracting(KeyHead::key).isEqualTo(keys);
        assertThat(walked).extracting(KeyHead::eventId).isEqualTo(heads);
    }

    @Test
    void finishedEventsAreNoHeads() {
        List<String> events = store("a", 2);
        claim("node", "a");
        backend.apply("node", List.of(new Outcome.Done(events.get(0), engine.now())));
        backend.apply("node", List.of(new Outcome.Dead(events.get(1), "dead")));

        assertThat(backend.keyHeads("", 10)).isEmpty();
        assertThat(claim("node", "a").events()).isEmpty();
    }

    @Test
    void aReplayedEventComesBackToItsPlace() {
        List<String> events = store("a", 3);
        claim("node", "a");
        backend.apply("node", List.of(new Outcome.Dead(events.get(0), "dead")));
        backend.release("node", events);

        backend.replayDead(List.of(events.get(0)));

        assertThat(ids(claim("node", "a"))).isEqualTo(events);
    }

    /** Or two events of the key would be with listeners at the same time. */
    @Test
    void aRevivedHeadWaitsForWhatIsHeldBehindIt() {
        List<String> events = store("a", 3);
        claim("one", "a", 1);
        backend.apply("one", List.of(new Outcome.Dead(events.get(0), "dead")));
        assertThat(ids(claim("one", "a", 1))).containsExactly(events.get(1));
        store("b", 2);

        backend.replayDead(List.of(events.get(0)));

        assertThat(claim("other", "a").events()).isEmpty();
        assertThat(claim("other", "a", 1).events()).isEmpty();
        assertThat(claim("other", "b").events()).hasSize(2);
        backend.apply("one", List.of(new Outcome.Done(events.get(1), engine.now())));
        assertThat(ids(claim("other", "a"))).containsExactly(events.get(0), events.get(2));
    }

    @Test
    void keysThatDifferLittleAreDifferentKeys() {
        List<String> keys = List.of("T/a#", "T/A#", "T/a #", "T/ä#", "T/\uD83D\uDE00#");
        List<String> events = new ArrayList<>();
        keys.forEach(key -> events.addAll(store(key, 1)));

        for (int i = 0; i < keys.size(); i++) {
            assertThat(ids(claim("node", keys.get(i)))).as(keys.get(i)).containsExactly(events.get(i));
        }
    }

    @Test
    void blockedKeysAreListedByTheTimeSinceWhenTheyAre() {
        Instant first = Instant.parse("2026-01-01T10:00:00Z");
        List<String> blocking = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            List<String> events = store("k" + i, 1 + i);
            blocking.add(events.get(0));
            park("k" + i, events.get(0), first.plusSeconds(i));
        }
        store("free", 2);

        List<BlockedKey> all = backend.blockedKeys(OLDEST_FIRST, null, 10);

        assertThat(all).extracting(BlockedKey::key).containsExactly("k0", "k1", "k2", "k3", "k4");
        assertThat(all).extracting(BlockedKey::waiting).containsExactly(0, 1, 2, 3, 4);
        assertThat(all).extracting(BlockedKey::since).startsWith(first, first.plusSeconds(1));
        assertThat(all).extracting(key -> key.event().eventId()).isEqualTo(blocking);
        assertThat(all.get(0).event().lastError()).isEqualTo("never");
        assertThat(all.get(0).event().attempts()).isEqualTo(1);
        assertThat(backend.blockedKeys(OLDEST_FIRST, all.get(1), 2)).isEqualTo(all.subList(2, 4));
        assertThat(backend.blockedKeys(NEWEST_FIRST, null, 1)).isEqualTo(all.subList(4, 5));
        assertThat(backend.blockedKeys(NEWEST_FIRST, all.get(4), 10))
                .extracting(BlockedKey::key)
                .containsExactly("k3", "k2", "k1", "k0");
        assertThat(backend.blockedKeys(OLDEST_FIRST, all.get(4), 10)).isEmpty();
        assertThat(backend.blockedFigures()).isEqualTo(new BlockedKey.Figures(5, 10, first, true));
    }

    @Test
    void keysThatWereBlockedAtTheSameTimeAreOnOnePageEach() {
        Instant same = Instant.parse("2026-01-01T10:00:00Z");
        for (int i = 0; i < 7; i++) {
            park("k" + i, store("k" + i, 1).get(0), same);
        }
        List<String> walked = new ArrayList<>();

        for (BlockedKey last = null; ; ) {
            List<BlockedKey> page = backend.blockedKeys(NEWEST_FIRST, last, 3);
            page.forEach(key -> walked.add(key.key()));
            if (page.size() < 3) {
                break;
            }
            last = page.get(2);
        }

        assertThat(walked).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4", "k5", "k6");
    }

    @Test
    void withoutParkedEventsNoKeyIsBlocked() {
        List<String> events = store("a", 2);
        claim("node", "a", 1);
        backend.apply("node", List.of(new Outcome.Failed(events.get(0), future().plusSeconds(3600), 0, 9, "later")));

        assertThat(backend.blockedKeys(OLDEST_FIRST, null, 10)).isEmpty();
        assertThat(backend.blockedFigures()).isEqualTo(BlockedKey.Figures.NONE);
    }

    private void park(String key, String eventId, Instant at) {
        claim("node", key, 1);
        backend.apply(
                "node", List.of(new Outcome.Failed(eventId, KeyHead.parkedAt(at), 0, Integer.MAX_VALUE, "never")));
    }

    private List<String> store(String key, int count) {
        List<NewEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(key, TYPE));
        }
        return storeAll(events);
    }

    private List<String> storeAll(List<NewEvent> events) {
        engine.inTransaction(() -> backend.persist(events));
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    private static NewEvent event(String key, String type) {
        EventEnvelope event = EventEnvelope.builder(type)
                .aggregateId("id")
                .payloadJson(PAYLOAD)
                .build();
        return NewEvent.unowned(event).withOrderKey(key);
    }

    private KeyedPage claim(String node, String key) {
        return claim(node, key, 10);
    }

    private KeyedPage claim(String node, String key, int run) {
        return backend.claimKeyed(request(node, EventTypes.ALL, new KeyedRequest.Limit(run, Long.MAX_VALUE), key));
    }

    private static KeyedRequest request(String node, EventTypes types, KeyedRequest.Limit limit, String key) {
        return new KeyedRequest(
                new Lease(node, LONG_LEASE), future(), Instant.EPOCH, LostClaims.NONE, types, List.of(key), limit);
    }

    private static Instant future() {
        return Instant.now().plusSeconds(60);
    }

    private static List<String> ids(KeyedPage page) {
        return page.events().stream().map(event -> event.row().eventId()).toList();
    }
}
