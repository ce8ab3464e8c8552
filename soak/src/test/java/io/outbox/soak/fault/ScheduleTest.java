package io.outbox.soak.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private static final Duration LEASE = Duration.ofSeconds(4);
    private static final Duration TOTAL = Duration.ofMinutes(5);

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
                .filteredOn(fault -> fault.kind().lasts() && fault.kind() != FaultKind.SERVER_ROWS_LOCKED)
                .allSatisfy(fault -> assertThat(fault.duration()).isGreaterThan(LEASE));
    }

    @Test
    void rowsAreLockedForASecondToHalfAMinute() {
        List<PlannedFault> faults = new Schedule(7, 3, LEASE, EnumSet.of(FaultKind.SERVER_ROWS_LOCKED)).plan(TOTAL);

        assertThat(faults)
                .hasSizeGreaterThan(5)
                .allSatisfy(
                        fault -> assertThat(fault.duration()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(30)));
    }

    @Test
    void onlyTheKindsAskedForCome() {
        assertThat(new Schedule(7, 3, LEASE, EnumSet.of(FaultKind.KILLED, FaultKind.RESET)).plan(TOTAL))
                .extracting(PlannedFault::kind)
                .containsOnly(FaultKind.KILLED, FaultKind.RESET);
    }

    @Test
    void everyNodeIsHit() {
        assertThat(plan(7)).extracting(PlannedFault::slot).contains(0, 1, 2);
    }

    private static List<PlannedFault> plan(long seed) {
        return new Schedule(seed, 3, LEASE, EnumSet.allOf(FaultKind.class)).plan(TOTAL);
    }
}
