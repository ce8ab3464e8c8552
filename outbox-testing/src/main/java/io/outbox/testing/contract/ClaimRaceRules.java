package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.Lease;
import io.outbox.spi.PageCursor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rules of claims at the same time: no event goes to two claimants, none is missed, and each count is right. */
abstract class ClaimRaceRules extends EngineRules {

    private static final Duration RACE_LIMIT = Duration.ofSeconds(30);

    private final RaceSize size;

    /** How large the races are. */
    record RaceSize(int claimants, int events, int rounds) {}

    ClaimRaceRules(Callable<EngineUnderTest> engines, RaceSize size) {
        super(engines);
        this.size = size;
    }

    /** Claims of each event, by its id. */
    private static final class Tally {

        private final Map<String, Integer> timesById = new ConcurrentHashMap<>();

        void add(List<String> ids) {
            ids.forEach(id -> timesById.merge(id, 1, Integer::sum));
        }

        int size() {
            return timesById.size();
        }

        void assertOnceEach(List<String> ids) {
            assertThat(timesById.keySet()).containsExactlyInAnyOrderElementsOf(ids);
            assertThat(timesById)
                    .allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
        }
    }

    /** One step of a claimant; returns whether there is more to do. */
    private interface Step {
        boolean run();
    }

    /** The way of claiming of one node. */
    private interface Claimant {
        Step as(String ownerId);
    }

    private void race(Claimant claimant) {
        List<Callable<Void>> claimants = new ArrayList<>();
        for (int i = 0; i < size.claimants(); i++) {
            String owner = "node-" + i;
            Step step = claimant.as(owner);
            claimants.add(() -> {
                Instant giveUpAt = Instant.now().plus(RACE_LIMIT);
                while (step.run()) {
                    assertThat(Instant.now()).as(owner + " still has work").isBefore(giveUpAt);
                }
                return null;
            });
        }
        Parallel.run(claimants);
    }

    /** A claimant that walks from page to page and, at the end, begins from the front. */
    private final class Walker {

        private final ClaimRequest first;
        private PageCursor after;

        Walker(String ownerId, Duration lease, Instant asOf) {
            this.first = ClaimRequest.first(new Lease(ownerId, lease), asOf, 7);
        }

        ClaimedPage step() {
            ClaimedPage page = backend.claim(first.after(after));
            after = page.next();
            return page;
        }
    }

    @Test
    void claimantsNeverShareAnEventAndMissNone() {
        for (int round = 0; round < size.rounds(); round++) {
            List<String> ids = storeDue(size.events());
            Tally claims = new Tally();

            race(owner -> () -> {
                claims.add(rowIds(claim(owner, 7)));
                return claims.size() < ids.size();
            });

            claims.assertOnceEach(ids);
            finish(ids);
        }
    }

    @Test
    void claimantsThatWalkNeverShareAnEventAndMissNone() {
        for (int round = 0; round < size.rounds(); round++) {
            List<String> ids = storeDue(size.events());
            Tally claims = new Tally();
            Instant asOf = backend.currentTime();

            race(owner -> {
                Walker walker = new Walker(owner, LONG_LEASE, asOf);
                return () -> {
                    claims.add(rowIds(rows(walker.step())));
                    return claims.size() < ids.size();
                };
            });

            claims.assertOnceEach(ids);
            finish(ids);
        }
    }

    /** All claims go by one time, so that none of them can run out for another while the test lasts. */
    @Test
    void whatClaimantsTakeOverIsCountedOnceInAll() {
        for (int round = 0; round < size.rounds(); round++) {
            List<EventEnvelope> events = dueEvents(size.events());
            int stuck = events.size() / 2;
            store(events.subList(0, stuck), "dead node");
            store(events.subList(stuck, events.size()), null);
            engine.letTimePass(SHORT_LEASE.multipliedBy(2));
            Instant asOf = backend.currentTime();
            Tally claims = new Tally();
            AtomicInteger takenOver = new AtomicInteger();

            race(owner -> {
                Walker walker = new Walker(owner, SHORT_LEASE, asOf);
                return () -> {
                    ClaimedPage page = walker.step();
                    takenOver.addAndGet(page.takenOver());
                    claims.add(rowIds(rows(page)));
                    return claims.size() < events.size();
                };
            });

            claims.assertOnceEach(ids(events));
            assertThat(takenOver).hasValue(stuck);
            finish(ids(events));
        }
    }

    @Test
    void nodesThatClaimAndCompleteAtTheSameTimeDoNotDisturbEachOther() {
        for (int round = 0; round < size.rounds(); round++) {
            List<String> ids = storeDue(size.events());
            Tally deliveries = new Tally();

            race(owner -> () -> {
                List<String> claimed = rowIds(claim(owner, 5));
                deliveries.add(claimed);
                Map<String, EventStatus> applied = applyAmongOthers(owner, done(claimed, engine.now()));
                assertThat(applied.keySet()).containsExactlyInAnyOrderElementsOf(claimed);
                return deliveries.size() < ids.size();
            });

            deliveries.assertOnceEach(ids);
            assertThat(fetch(1)).isEmpty();
        }
    }

    @Test
    void writersAndClaimantsAtTheSameTimeLoseNothing() {
        int writers = 4;
        int batches = 20;
        List<EventEnvelope> events = dueEvents(writers * batches * 3);
        Tally deliveries = new Tally();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            int first = i * batches * 3;
            String owner = "node-" + i;
            tasks.add(() -> {
                for (int batch = 0; batch < batches; batch++) {
                    store(events.subList(first + batch * 3, first + batch * 3 + 3), null);
                }
                return null;
            });
            tasks.add(() -> {
                Waiting.until(RACE_LIMIT, () -> deliveries.size() + " of " + events.size(), () -> {
                    List<String> claimed = rowIds(claim(owner, 5));
                    deliveries.add(claimed);
                    applyAmongOthers(owner, done(claimed, engine.now()));
                    return deliveries.size() >= events.size();
                });
                return null;
            });
        }

        Parallel.run(tasks);

        deliveries.assertOnceEach(ids(events));
    }
}
