package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.OutboxBackend.FetchRequest;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Random operations on an engine, each compared with what a simple model says.
 *
 * <p>Times are chosen so that the real time of the run does not matter: an event is due long since or in a distant
 * future, and a lease either outlasts the run or has run out. No two calls carry the same time, so that only a
 * deliberate repetition looks like one.
 */
final class BackendModelRun {

    private static final int KEPT_EVENTS = 60;
    private static final int MAX_ATTEMPTS = 4;
    private static final List<String> OWNERS = List.of("a", "b", "c");

    private final EngineUnderTest engine;
    private final OutboxBackend backend;
    private final Random random;
    private final Instant start;
    private final Map<String, Row> model = new LinkedHashMap<>();
    private final List<String> forgotten = new ArrayList<>();
    private long ticks;

    BackendModelRun(EngineUnderTest engine, long seed) {
        this.engine = engine;
        this.backend = engine.backend();
        this.random = new Random(seed);
        this.start = engine.now();
    }

    /** What the model knows about an event. */
    private static final class Row {
        final Instant createdAt;
        EventStatus status = EventStatus.NEW;
        int attempts;
        Instant availableAt;
        String lockedBy;
        Instant doneAt;

        Row(Instant createdAt, Instant availableAt, String lockedBy) {
            this.createdAt = createdAt;
            this.availableAt = availableAt;
            this.lockedBy = lockedBy;
        }

        boolean isPending() {
            return !status.isTerminal();
        }
    }

    void run(int operations) {
        for (int i = 0; i < operations; i++) {
            step(random.nextInt(100));
            if (i % 100 == 99) {
                compareAll();
            }
        }
        compareAll();
    }

    private void step(int dice) {
        if (dice < 18) {
            persist();
        } else if (dice < 40) {
            claim(false);
        } else if (dice < 43) {
            claim(true);
        } else if (dice < 68) {
            apply();
        } else if (dice < 76) {
            release();
        } else if (dice < 82) {
            renew();
        } else if (dice < 88) {
            fetch();
        } else if (dice < 92) {
            replay();
        } else if (dice < 95) {
            countDead();
        } else if (dice < 98) {
            nextDue();
        } else {
            purge();
        }
    }

    private void persist() {
        String owner = random.nextBoolean() ? owner() : null;
        List<EventEnvelope> batch = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0 && pendingCount() + batch.size() < KEPT_EVENTS; i--) {
            EventEnvelope.Builder event =
                    EventEnvelope.builder("Model").occurredAt(past()).payloadJson("{}");
            batch.add(random.nextInt(5) == 0 ? event.availableAt(future()).build() : event.build());
        }
        boolean commits = !backend.requiresActiveTransaction() || random.nextInt(5) > 0;
        if (!commits) {
            EngineTest.rollBack(engine, () -> backend.persist(batch, owner));
            return;
        }
        engine.inTransaction(() -> backend.persist(batch, owner));
        for (EventEnvelope event : batch) {
            Instant due = event.isDelayed() ? event.availableAt() : event.occurredAt();
            model.put(event.eventId(), new Row(event.occurredAt(), due, event.isDelayed() ? null : owner));
        }
    }

    private void claim(boolean takingOver) {
        String owner = owner();
        int limit = 1 + random.nextInt(10);
        Duration lease = takingOver ? Duration.ofMillis(1) : EngineTest.LONG_LEASE;
        if (takingOver) {
            engine.letTimePass(Duration.ofMillis(3));
        }
        Set<String> claimable = new HashSet<>();
        model.forEach((id, row) -> {
            if (isDue(row) && (row.lockedBy == null || takingOver)) {
                claimable.add(id);
            }
        });

        List<OutboxEvent> rows = backend.claim(new ClaimRequest(new Lease(owner, lease), Duration.ZERO, limit));

        assertThat(EngineTest.rowIds(rows))
                .as("claimed")
                .doesNotHaveDuplicates()
                .isSubsetOf(claimable);
        assertThat(rows).as("claimed").hasSize(Math.min(limit, claimable.size()));
        assertInOrderOfCreation(rows);
        for (OutboxEvent row : rows) {
            assertThat(row.attempts()).isEqualTo(model.get(row.eventId()).attempts);
            model.get(row.eventId()).lockedBy = owner;
        }
    }

    private void apply() {
        String owner = random.nextInt(4) == 0 ? null : owner();
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, EventStatus> expected = new HashMap<>();
        Instant doneAt = past();
        for (String id : someIds(owner)) {
            Row row = model.get(id);
            Outcome outcome = outcome(id, row, doneAt);
            outcomes.add(outcome);
            if (row != null && row.isPending() && (owner == null || owner.equals(row.lockedBy))) {
                transit(row, outcome);
                expected.put(id, row.status);
            }
        }

        assertThat(backend.apply(owner, outcomes)).as("applied by " + owner).isEqualTo(expected);
        if (random.nextInt(3) == 0) {
            assertThat(backend.apply(owner, outcomes))
                    .as("repeated by " + owner)
                    .isEqualTo(expected);
        }
    }

    private Outcome outcome(String id, Row row, Instant doneAt) {
        int attempts = row == null ? 0 : random.nextInt(row.attempts + 1);
        return switch (random.nextInt(6)) {
            case 0, 1 -> new Outcome.Done(id, doneAt);
            case 2, 3 -> new Outcome.Failed(id, pastOrFuture(), attempts, MAX_ATTEMPTS, "error " + ticks++);
            case 4 -> new Outcome.Deferred(id, pastOrFuture());
            default -> new Outcome.Dead(id, "reason " + ticks++);
        };
    }

    private static void transit(Row row, Outcome outcome) {
        row.lockedBy = null;
        if (outcome instanceof Outcome.Done done) {
            row.status = EventStatus.DONE;
            row.doneAt = done.at();
        } else if (outcome instanceof Outcome.Deferred deferred) {
            row.status = EventStatus.NEW;
            row.availableAt = deferred.until();
        } else if (outcome instanceof Outcome.Failed failed && ++row.attempts < failed.maxAttempts()) {
            row.status = EventStatus.RETRY;
            row.availableAt = failed.retryAt();
        } else {
            row.status = EventStatus.DEAD;
        }
    }

    private void release() {
        String owner = owner();
        List<String> ids = someIds(owner);
        int expected = 0;
        for (String id : ids) {
            if (holds(owner, id)) {
                model.get(id).lockedBy = null;
                expected++;
            }
        }

        assertThat(backend.release(owner, ids)).as("released").isEqualTo(expected);
    }

    private void renew() {
        String owner = owner();
        List<String> ids = someIds(owner);

        assertThat(backend.renew(owner, ids))
                .as("renewed")
                .containsExactlyInAnyOrderElementsOf(
                        ids.stream().filter(id -> holds(owner, id)).toList());
    }

    private void fetch() {
        int limit = 1 + random.nextInt(20);
        Set<String> due = new HashSet<>();
        model.forEach((id, row) -> {
            if (isDue(row)) {
                due.add(id);
            }
        });

        List<OutboxEvent> rows =
                backend.fetch(new FetchRequest(engine.now(), Duration.ZERO, limit, null, random.nextInt(5)));

        assertThat(EngineTest.rowIds(rows))
                .as("fetched")
                .doesNotHaveDuplicates()
                .isSubsetOf(due);
        assertThat(rows).as("fetched").hasSizeGreaterThanOrEqualTo(Math.min(limit, due.size()));
        assertInOrderOfCreation(rows);
    }

    private void replay() {
        for (String id : someIds(null)) {
            Row row = model.get(id);
            boolean dead = row != null && row.status == EventStatus.DEAD;

            assertThat(backend.replayDead(id)).as("replayed").isEqualTo(dead ? 1 : 0);

            if (dead) {
                row.status = EventStatus.NEW;
                row.attempts = 0;
                row.availableAt = stored(id).availableAt();
                assertThat(row.availableAt).isBeforeOrEqualTo(engine.now());
            }
        }
    }

    private void countDead() {
        long dead = model.values().stream()
                .filter(row -> row.status == EventStatus.DEAD)
                .count();

        assertThat(backend.countDead(null)).as("dead").isEqualTo((int) dead);
        assertThat(backend.queryDead(null, null, 1_000)).as("dead").hasSize((int) dead);
    }

    private void nextDue() {
        Instant next = null;
        for (Row row : model.values()) {
            if (row.isPending()
                    && row.availableAt.isAfter(start.plus(Duration.ofHours(12)))
                    && (next == null || row.availableAt.isBefore(next))) {
                next = row.availableAt;
            }
        }

        assertThat(backend.nextDueAt(engine.now()).orElse(null)).as("next due").isEqualTo(next);
    }

    private void purge() {
        Instant before = past();
        List<String> ended = new ArrayList<>();
        model.forEach((id, row) -> {
            Instant endedAt = row.doneAt != null ? row.doneAt : row.createdAt;
            if (!row.isPending() && endedAt.isBefore(before)) {
                ended.add(id);
            }
        });

        assertThat(backend.purge(before, 1_000)).as("purged").isEqualTo(ended.size());

        ended.forEach(model::remove);
        forgotten.addAll(ended);
    }

    private void compareAll() {
        model.forEach((id, row) -> {
            StoredEvent stored = stored(id);
            assertThat(stored.status()).as("status of " + id).isEqualTo(row.status);
            assertThat(stored.attempts()).as("attempts of " + id).isEqualTo(row.attempts);
            assertThat(stored.lockedBy()).as("owner of " + id).isEqualTo(row.lockedBy);
            assertThat(stored.doneAt()).as("end of " + id).isEqualTo(row.doneAt);
            if (row.isPending()) {
                assertThat(stored.availableAt()).as("due time of " + id).isEqualTo(row.availableAt);
            }
        });
        forgotten.forEach(id -> assertThat(engine.find(id)).isEmpty());
        forgotten.clear();
    }

    private StoredEvent stored(String id) {
        return engine.find(id).orElseThrow(() -> new AssertionError("event " + id + " is gone"));
    }

    private boolean holds(String owner, String id) {
        Row row = model.get(id);
        return row != null && row.isPending() && owner.equals(row.lockedBy);
    }

    private boolean isDue(Row row) {
        return row.isPending() && row.availableAt.isBefore(start.plus(Duration.ofHours(12)));
    }

    private long pendingCount() {
        return model.values().stream().filter(Row::isPending).count();
    }

    /** Returns some ids, mostly of events that the owner holds, with finished and unknown ones among them. */
    private List<String> someIds(String owner) {
        List<String> candidates = new ArrayList<>();
        model.forEach((id, row) -> {
            boolean likely = owner == null ? row.isPending() : owner.equals(row.lockedBy);
            if (random.nextInt(10) < (likely ? 7 : 1)) {
                candidates.add(id);
            }
        });
        Collections.shuffle(candidates, random);
        List<String> chosen = new ArrayList<>(candidates.subList(0, Math.min(candidates.size(), random.nextInt(12))));
        if (random.nextInt(5) == 0) {
            chosen.add("unknown");
        }
        return chosen;
    }

    private String owner() {
        return OWNERS.get(random.nextInt(OWNERS.size()));
    }

    /** Returns a time that was not used before, about a day ago. */
    private Instant past() {
        return start.minus(Duration.ofDays(1))
                .plusMillis(random.nextInt(1_000_000) * 10L)
                .plusNanos(tick());
    }

    /** Returns a time that was not used before, in about a day. */
    private Instant future() {
        return start.plus(Duration.ofDays(1))
                .plusMillis(random.nextInt(1_000_000))
                .plusNanos(tick());
    }

    private Instant pastOrFuture() {
        return random.nextInt(3) > 0 ? past() : future();
    }

    private long tick() {
        return ticks++ * 1_000 % 1_000_000;
    }

    private static void assertInOrderOfCreation(List<OutboxEvent> rows) {
        assertThat(rows.stream().map(OutboxEvent::createdAt).toList()).isSorted();
    }
}
