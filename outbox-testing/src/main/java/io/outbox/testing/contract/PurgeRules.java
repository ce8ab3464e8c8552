package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of purging: finished events go once they are old enough, others never. */
abstract class PurgeRules extends EngineRules {

    PurgeRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void purgeDeletesWhatWasDoneBeforeTheGivenTime() {
        List<String> ids = storeDue(3);
        Instant cutoff = engine.now();
        backend.apply(null, List.of(new Outcome.Done(ids.get(0), cutoff.minusNanos(1_000))));
        backend.apply(null, List.of(new Outcome.Done(ids.get(1), cutoff)));
        backend.apply(null, List.of(new Outcome.Done(ids.get(2), cutoff.plusSeconds(1))));

        assertThat(backend.purge(cutoff, 100)).isEqualTo(1);

        assertThat(engine.find(ids.get(0))).isEmpty();
        assertThat(engine.find(ids.get(1))).isPresent();
        assertThat(engine.find(ids.get(2))).isPresent();
        assertThat(backend.purge(cutoff, 100)).isZero();
    }

    @Test
    void purgeJudgesDeadEventsByTheirCreation() {
        String old = store(aged(Duration.ofHours(2)));
        String young = store(aged(Duration.ofMinutes(5)));
        backend.apply(null, List.of(new Outcome.Dead(old, "x"), new Outcome.Failed(young, engine.now(), 0, 1, "x")));

        assertThat(backend.purge(engine.now().minus(Duration.ofHours(1)), 100)).isEqualTo(1);

        assertThat(engine.find(old)).isEmpty();
        assertThat(stored(young).status()).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void purgeCanLeaveDeadEvents() {
        List<String> ids = storeDue(3);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(null, List.of(new Outcome.Done(ids.get(0), longAgo), new Outcome.Done(ids.get(1), longAgo)));
        backend.apply(null, List.of(new Outcome.Dead(ids.get(2), "x")));

        assertThat(backend.purgeDone(longAgo, 10)).isZero();
        assertThat(backend.purgeDone(engine.now(), 1)).isEqualTo(1);
        assertThat(backend.purgeDone(engine.now(), 10)).isEqualTo(1);
        assertThat(backend.purgeDone(engine.now(), 10)).isZero();

        assertThat(stored(ids.get(2)).status()).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void purgeNeverTouchesPendingEvents() {
        String fresh = store(aged(Duration.ofDays(30)));
        String retry = store(aged(Duration.ofDays(30)));
        String held = store(aged(Duration.ofDays(30)));
        backend.apply(null, List.of(new Outcome.Failed(retry, engine.now().minusSeconds(1), 0, 9, "x")));
        claim("a", 1);

        assertThat(backend.purge(engine.now().plus(Duration.ofDays(1)), 100)).isZero();

        assertThat(List.of(fresh, retry, held))
                .allSatisfy(id -> assertThat(engine.find(id)).isPresent());
    }

    @Test
    void purgeKeepsToItsLimit() {
        List<String> ids = storeDue(25);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(null, done(ids, longAgo));

        assertThat(backend.purge(engine.now(), 10)).isEqualTo(10);
        assertThat(backend.purge(engine.now(), 10)).isEqualTo(10);
        assertThat(backend.purge(engine.now(), 10)).isEqualTo(5);
        assertThat(backend.purge(engine.now(), 10)).isZero();
    }

    @Test
    void concurrentPurgesDeleteEachEventOnce() {
        List<String> ids = storeDue(200);
        Instant longAgo = engine.now().minus(Duration.ofDays(1));
        backend.apply(null, done(ids, longAgo));
        List<Callable<Integer>> purgers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            purgers.add(() -> {
                int total = 0;
                while (engine.find(ids.get(0)).isPresent()
                        || engine.find(ids.get(199)).isPresent()) {
                    total += backend.purge(engine.now(), 10);
                }
                return total;
            });
        }

        int deleted = Parallel.run(purgers).stream().mapToInt(Integer::intValue).sum();

        assertThat(deleted + backend.purge(engine.now(), 1000)).isEqualTo(200);
    }
}
