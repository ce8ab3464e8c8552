package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.support.Race;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RouteCircuitTest {

    private final RouteCircuit circuit = new RouteCircuit();

    private void trip() {
        circuit.trip();
        circuit.allowProbes(null);
    }

    private void awaitProbe() {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> circuit.admits(10) > 0);
    }

    @Test
    void letsEverythingPassWhileClosed() {
        assertThat(circuit.isOpen()).isFalse();
        assertThat(circuit.admits(7)).isEqualTo(7);
        assertThat(circuit.admit()).isTrue();
        assertThat(circuit.admit()).isTrue();
    }

    @Test
    void tellsWhoOpenedAndWhoClosedIt() {
        assertThat(circuit.reset()).isFalse();
        assertThat(circuit.trip()).isTrue();
        assertThat(circuit.trip()).isFalse();
        assertThat(circuit.isOpen()).isTrue();
        assertThat(circuit.reset()).isTrue();
        assertThat(circuit.reset()).isFalse();
        assertThat(circuit.isOpen()).isFalse();
        assertThat(circuit.admits(3)).isEqualTo(3);
    }

    @Test
    void admitsNothingRightAfterItOpened() {
        trip();

        assertThat(circuit.admits(10)).isZero();
        assertThat(circuit.admit()).isFalse();
        assertThat(circuit.millisToProbe()).isBetween(1L, 501L);
    }

    @Test
    void waitsForAsLongAsTheTargetWantsToBeLeftAlone() {
        circuit.trip();
        circuit.allowProbes(Duration.ofMinutes(1));

        assertThat(circuit.admits(10)).isZero();
        assertThat(circuit.millisToProbe()).isBetween(50_000L, 60_001L);
        circuit.allowProbes(Duration.ofMillis(1));
        awaitProbe();
        circuit.allowProbes(Duration.ofSeconds(Long.MAX_VALUE));
        assertThat(circuit.admits(10)).isZero();
    }

    @Test
    void admitsNothingUntilProbesAreAllowed() {
        circuit.trip();
        circuit.probeLost();

        assertThat(circuit.admits(10)).isZero();
        assertThat(circuit.millisToProbe()).isGreaterThan(501L);
        circuit.allowProbes(null);
        awaitProbe();
    }

    @Test
    void admitsOneProbeAfterAWhile() {
        trip();
        awaitProbe();

        assertThat(circuit.admits(10)).isEqualTo(1);
        assertThat(circuit.admits(0)).isZero();
        assertThat(circuit.millisToProbe()).isEqualTo(1);
        assertThat(circuit.admit()).isTrue();
        assertThat(circuit.admit()).isFalse();
        assertThat(circuit.admits(10)).isZero();
    }

    @Test
    void waitsAgainAfterAProbeThatFailed() {
        trip();
        awaitProbe();
        circuit.admit();

        assertThat(circuit.trip()).isFalse();
        circuit.allowProbes(null);

        assertThat(circuit.admits(10)).isZero();
        awaitProbe();
        assertThat(circuit.admit()).isTrue();
    }

    @Test
    void admitsAnotherProbeWhenTheFirstToldNothing() {
        trip();
        awaitProbe();
        circuit.admit();

        circuit.probeLost();

        assertThat(circuit.isOpen()).isTrue();
        assertThat(circuit.admit()).isTrue();
    }

    @Test
    void admitsEverythingAfterAProbeThatGotThrough() {
        trip();
        awaitProbe();
        circuit.admit();

        circuit.reset();

        assertThat(circuit.admits(10)).isEqualTo(10);
        assertThat(circuit.admit()).isTrue();
        assertThat(circuit.admit()).isTrue();
    }

    @Test
    void oneOfManyThreadsGetsTheProbe() throws Exception {
        trip();
        awaitProbe();
        try (Race race = new Race(8)) {
            for (int round = 0; round < 500; round++) {
                assertThat(race.times(8, circuit::admit))
                        .filteredOn(admitted -> admitted)
                        .hasSize(1);
                circuit.probeLost();
            }
        }
    }
}
