package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.support.Race;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProbesTest {

    private final Probes probes = new Probes();

    private void awaitProbe() {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> probes.admits(10) > 0);
    }

    @Test
    void admitNothingRightAfterTheyAreAllowed() {
        probes.allow(null);

        assertThat(probes.admits(10)).isZero();
        assertThat(probes.admit()).isFalse();
        assertThat(probes.millisToNext()).isBetween(1L, 501L);
    }

    @Test
    void waitForAsLongAsTheTargetWantsToBeLeftAlone() {
        probes.allow(Duration.ofMinutes(1));

        assertThat(probes.admits(10)).isZero();
        assertThat(probes.millisToNext()).isBetween(50_000L, 60_001L);
        probes.allow(Duration.ofMillis(1));
        awaitProbe();
        probes.allow(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(probes.admits(10)).isZero();
    }

    @Test
    void admitNothingUntilTheyAreAllowed() {
        probes.lost();

        assertThat(probes.admits(10)).isZero();
        assertThat(probes.millisToNext()).isGreaterThan(501L);
        probes.allow(null);
        awaitProbe();
        probes.forbid();
        assertThat(probes.admits(10)).isZero();
        assertThat(probes.millisToNext()).isGreaterThan(501L);
    }

    @Test
    void admitOneEventAfterAWhile() {
        probes.allow(null);
        awaitProbe();

        assertThat(probes.admits(10)).isEqualTo(1);
        assertThat(probes.admits(0)).isZero();
        assertThat(probes.millisToNext()).isEqualTo(1);
        assertThat(probes.admit()).isTrue();
        assertThat(probes.admit()).isFalse();
        assertThat(probes.admits(10)).isZero();
    }

    @Test
    void waitAgainAfterOneThatFailed() {
        probes.allow(null);
        awaitProbe();
        probes.admit();

        probes.forbid();
        probes.allow(null);

        assertThat(probes.admits(10)).isZero();
        awaitProbe();
        assertThat(probes.admit()).isTrue();
    }

    @Test
    void admitAnotherWhenTheFirstToldNothing() {
        probes.allow(null);
        awaitProbe();
        probes.admit();

        probes.lost();

        assertThat(probes.admit()).isTrue();
    }

    @Test
    void oneOfManyThreadsGetsTheProbe() throws Exception {
        probes.allow(null);
        awaitProbe();
        try (Race race = new Race(8)) {
            for (int round = 0; round < 500; round++) {
                assertThat(race.times(8, probes::admit))
                        .filteredOn(admitted -> admitted)
                        .hasSize(1);
                probes.lost();
            }
        }
    }
}
