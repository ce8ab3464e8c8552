package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import io.outbox.testservers.support.LogLines;
import java.time.Clock;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

/** The record of what operators have paused. */
class PausesTest {

    @Test
    void whatWasPausedStaysSoWhenTheRecordCannotBeRead() {
        ClusterBackend cluster = new MemoryCluster(Clock.systemUTC());
        Pauses pauses = new Pauses(cluster, Clock.systemUTC());
        pauses.pause("Placed", null, "ann");
        assertThat(pauses.read().pauses()).hasSize(1);
        ClusterRecord record = cluster.record(Pauses.ID).orElseThrow();
        cluster.save(record.with(record.kind(), "{\"held\":[]}"));

        try (LogLines log = new LogLines(Pauses.class)) {
            assertThat(pauses.read().pauses()).hasSize(1);
            assertThat(pauses.read().pauses()).hasSize(1);
            assertThat(log.at(Level.WARNING)).hasSize(1).allMatch(line -> line.contains("cannot be read"));
        }

        assertThatThrownBy(() -> pauses.resume("Placed", null)).isInstanceOf(Problem.class);
        assertThat(cluster.record(Pauses.ID).orElseThrow().content()).contains("held");
    }
}
