package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.testing.StoredEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Rules of what a store reads: due events, polled or claimed, and dead ones. */
abstract class StoreReadRules extends StoreRules {

    StoreReadRules(OutboxStoreContract contract) {
        super(contract);
    }

    @Test
    void pollPendingReturnsDueEventsOldestFirst() {
        List<EventEnvelope> events = events(30);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(2));
        shuffled.forEach(this::insert);

        assertThat(ids(poll(100))).containsExactlyElementsOf(EngineRules.ids(events));
        assertThat(ids(poll(7)))
                .containsExactlyElementsOf(EngineRules.ids(events).subList(0, 7));
    }

    @Test
    void pollPendingReturnsNewAndRetryButNoFinishedOrFutureEvents() {
        String fresh = insert(event(0));
        String retry = insert(event(1));
        String later = insert(event(2));
        String done = insert(event(3));
        String dead = insert(event(4));
        store.markRetry(conn, retry, now, "x");
        store.markRetry(conn, later, now.plusNanos(1_000), "x");
        store.markDone(conn, done);
        store.markDead(conn, dead, "x");

        List<OutboxEvent> due = store.pollPending(conn, now, Duration.ZERO, 10);

        assertThat(ids(due)).containsExactlyInAnyOrder(fresh, retry);
        assertThat(ids(store.pollPending(conn, now.plusNanos(1_000), Duration.ZERO, 10)))
                .containsExactlyInAnyOrder(fresh, retry, later);
        assertThat(due)
                .filteredOn(row -> row.eventId().equals(retry))
                .allSatisfy(row -> assertThat(row.attempts()).isEqualTo(1));
    }

    @Test
    void pollPendingSkipsRecentEvents() {
        String id = insert(EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(10))
                .payloadJson("{}")
                .build());

        assertThat(store.pollPending(conn, now, Duration.ofSeconds(11), 10)).isEmpty();
        assertThat(ids(store.pollPending(conn, now, Duration.ofSeconds(10), 10)))
                .containsExactly(id);
    }

    @Test
    void claimPendingLocksWhatItReturns() {
        List<EventEnvelope> events = events(5);
        store.insertBatch(conn, events);

        List<OutboxEvent> claimed = claim("a", now, now.minusSeconds(60), 3);

        assertThat(ids(claimed))
                .containsExactlyElementsOf(EngineRules.ids(events).subList(0, 3));
        assertThat(claimed).allSatisfy(row -> {
            assertThat(stored(row.eventId()).lockedBy()).isEqualTo("a");
            assertThat(stored(row.eventId()).lockedAt()).isEqualTo(now);
            assertThat(stored(row.eventId()).status()).isEqualTo(EventStatus.NEW);
        });
        assertThat(ids(claim("b", now, now.minusSeconds(60), 10)))
                .containsExactlyElementsOf(EngineRules.ids(events).subList(3, 5));
        assertThat(claim("a", now, now.minusSeconds(60), 10)).isEmpty();
    }

    @Test
    void claimPendingTakesOverLocksFromBeforeTheExpiry() {
        String id = insert(event(0));
        claim("a", now, now.minusSeconds(60), 10);

        assertThat(claim("b", now.plusSeconds(30), now, 10)).isEmpty();
        assertThat(ids(claim("b", now.plusSeconds(60), now.plusNanos(1_000), 10)))
                .containsExactly(id);
        assertThat(stored(id).lockedBy()).isEqualTo("b");
        assertThat(stored(id).lockedAt()).isEqualTo(now.plusSeconds(60));
    }

    @Test
    void claimPendingTakesOnlyDueEventsThatAreOldEnough() {
        insert(EventEnvelope.builder(TYPE)
                .occurredAt(now)
                .availableAt(now.plusSeconds(1))
                .payloadJson("{}")
                .build());
        String recent = insert(event(0));

        assertThat(store.claimPending(conn, "a", now, now.minusSeconds(60), Duration.ofHours(2), 10))
                .isEmpty();
        assertThat(ids(claim("a", now, now.minusSeconds(60), 10))).containsExactly(recent);
    }

    @Test
    void claimPendingReturnsRetriesOnceTheirMarkHasUnlockedThem() {
        String id = insert(event(0));
        claim("a", now, now.minusSeconds(60), 10);

        store.markRetry(conn, id, now, "x");

        List<OutboxEvent> claimed = claim("b", now, now.minusSeconds(60), 10);
        assertThat(ids(claimed)).containsExactly(id);
        assertThat(claimed.get(0).attempts()).isEqualTo(1);
    }

    @Test
    void concurrentClaimsOnSeparateConnectionsShareNothing() {
        List<EventEnvelope> events = events(200);
        store.insertBatch(conn, events);
        Map<String, Integer> claims = new ConcurrentHashMap<>();
        List<Callable<Void>> claimers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String owner = "node-" + i;
            claimers.add(() -> {
                try (Connection own = openConnection()) {
                    Instant giveUpAt = Instant.now().plusSeconds(30);
                    while (claims.size() < events.size()) {
                        assertThat(Instant.now()).as("claims still to make").isBefore(giveUpAt);
                        store.claimPending(own, owner, now, now.minusSeconds(60), Duration.ZERO, 5)
                                .forEach(row -> claims.merge(row.eventId(), 1, Integer::sum));
                    }
                }
                return null;
            });
        }

        Parallel.run(claimers);

        assertThat(claims).hasSize(events.size());
        assertThat(claims).allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
    }

    @Test
    void queryDeadFiltersAndReturnsTheOldestFirst() {
        List<EventEnvelope> events = events(6);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(4));
        shuffled.forEach(event -> store.markDead(conn, insert(event), "dead"));
        EventEnvelope other = EventEnvelope.builder("Other")
                .aggregateType("Order")
                .occurredAt(now)
                .payloadJson("{}")
                .build();
        store.markDead(conn, insert(other), "dead");
        insert(event(99));

        List<String> all = new ArrayList<>(EngineRules.ids(events));
        all.add(other.eventId());
        assertThat(ids(store.queryDead(conn, null, null, 100))).containsExactlyElementsOf(all);
        assertThat(ids(store.queryDead(conn, null, null, 2))).containsExactlyElementsOf(all.subList(0, 2));
        assertThat(ids(store.queryDead(conn, "Other", null, 10))).containsExactly(other.eventId());
        assertThat(ids(store.queryDead(conn, null, "Order", 10))).containsExactly(other.eventId());
        assertThat(store.queryDead(conn, TYPE, "Order", 10)).isEmpty();
        assertThat(store.countDead(conn, null)).isEqualTo(7);
        assertThat(store.countDead(conn, TYPE)).isEqualTo(6);
        assertThat(store.countDead(conn, "Nothing")).isZero();
    }

    @Test
    void replayDeadResetsADeadEventOnce() {
        String id = insert(event(0));
        store.markRetry(conn, id, now.plusSeconds(3600), "one");
        store.markDead(conn, id, "two");

        assertThat(store.replayDead(conn, id)).isEqualTo(1);

        StoredEvent replayed = stored(id);
        assertThat(replayed.status()).isEqualTo(EventStatus.NEW);
        assertThat(replayed.attempts()).isZero();
        assertUnlocked(replayed);
        assertThat(replayed.availableAt()).isBeforeOrEqualTo(Instant.now().plusSeconds(5));
        assertThat(store.replayDead(conn, id)).isZero();
        assertThat(store.countDead(conn, null)).isZero();
    }

    @Test
    void replayDeadTouchesNoOtherEvent() {
        String fresh = insert(event(0));
        String done = insert(event(1));
        store.markDone(conn, done);

        assertThat(store.replayDead(conn, fresh)).isZero();
        assertThat(store.replayDead(conn, done)).isZero();
        assertThat(store.replayDead(conn, "unknown")).isZero();
        assertThat(stored(done).status()).isEqualTo(EventStatus.DONE);
    }
}
