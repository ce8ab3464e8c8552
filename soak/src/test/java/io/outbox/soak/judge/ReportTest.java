package io.outbox.soak.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import org.junit.jupiter.api.Test;

class ReportTest {

    private final Scene scene = new Scene()
            .committed("a", "1")
            .delivered("a", "1", 1)
            .delivered("b", "1", 6)
            .committed("b", "2")
            .delivered("b", "2", 1)
            .delivered("c", "2", 8)
            .fault(FaultKind.SERVER_FROZEN, Fault.SERVER, 0.5, 5.5)
            .fault(FaultKind.KILLED, "b", 7, 7);

    private final Report report = new Report("a run", Scene.START, scene.evidence(), scene.judge());

    @Test
    void countsFaultsEventsAndDuplicatesByKind() {
        assertThat(report.summary().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "a run",
                        " faults 2 (killed 1, server frozen 1)",
                        " events stored 2",
                        " deliveries 4",
                        " duplicates explained 1 (killed 1)",
                        " unexplained duplicate 1 (server frozen 1)",
                        " lost 0");
    }

    @Test
    void tellsTheWholeHistoryOfAFinding() {
        assertThat(report.findings(10)).isEqualToNormalizingNewlines("""
                unexplained duplicate: event 1
                  written    plain by a, committed, due +0.000
                  delivered  a +1.000 to +1.100 done
                  delivered  b +6.000 to +6.100 done
                  row        status 1, attempts 0
                  fault      server server frozen +0.500 to +5.500
                """);
    }

    @Test
    void saysHowManyFindingsItLeavesOut() {
        assertThat(report.findings(0)).isEqualToNormalizingNewlines("… and 1 more\n");
    }
}
