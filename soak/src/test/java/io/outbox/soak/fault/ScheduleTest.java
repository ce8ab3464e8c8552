package io.outbox.soak.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private static final Duration LEASE = Duration.ofSeconds(4);

    @Test
    void theSameSeedGivesTheSameFaults() {
        assertThat(plan(7)).isEqualTo(plan(7)).isNotEqualTo(plan(8));
    }

    @Test
    void everyKindComesBeforeAnyComesAgain() {
        List<PlannedFault> faults = plan(7);

        assertThat(faults.subList(0, FaultKind.values().length))
                .extracting(PlannedFault::kind)
                .containsExactlyInAnyOrder(FaultKind.values());
    }

    @Test
    void aFaultThatLastsOutlastsTheLease() {
        assertThat(plan(7))
                .filteredOn(fault -> fault.kind().lasts())
                .allSatisfy(fault -> assertThat(fault.duration()).isGreaterThan(LEASE));
    }

    @Test
    void everyNodeIsHit() {
        assertThat(plan(7)).extracting(PlannedFault::slot).contains(0, 1, 2);
    }

    private static List<PlannedFault> plan(long seed) {
        return new Schedule(seed, 3, LEASE).plan(Duration.ofMinutes(5));
    }
}
