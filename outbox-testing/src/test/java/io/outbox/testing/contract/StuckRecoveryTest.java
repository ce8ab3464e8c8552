package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.poller.StuckRecovery;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events that a node claimed and never completed are taken over at times of their own, in every lane. */
class StuckRecoveryTest extends InMemoryOutboxTest {

    private static final List<String> TYPES = List.of("A", "B", "C", "Shared");
    private static final Duration SHORT = Duration.ofMillis(50);

    @BeforeEach
    void listen() {
        TYPES.forEach(type -> registry.register(type, deliveries.succeeding()));
    }

    private Outbox openWith(StuckRecovery recovery) {
        Outbox.MultiNodeBuilder builder = node("heir", SHORT).stuckRecovery(recovery);
        TYPES.subList(0, 3)
                .forEach(type -> builder.lane(type, LanePolicy.builder().build()));
        return open(builder);
    }

    /** Writes events of all types that another node has claimed and forgotten. */
    private List<String> stuckEvents(int ofEachType) {
        List<String> ids = new ArrayList<>();
        for (String type : TYPES) {
            try (Outbox writer = on(backend, Outbox.writerOnly()).build()) {
                ids.addAll(write(writer, events(type, ofEachType)));
            }
        }
        assertThat(backend.claim(ClaimRequest.first(new Lease("dead", SHORT), backend.currentTime(), 1000))
                        .events())
                .hasSize(ids.size());
        return ids;
    }

    @Test
    void everyLaneRecoversItsOwn() {
        List<String> stuck = stuckEvents(3);

        openWith(new StuckRecovery(100, SHORT.multipliedBy(2), SHORT));

        awaitStatus(EventStatus.DONE, stuck);
        assertThat(metrics.recovered()).isEqualTo(stuck.size());
    }

    @Test
    void itGoesOnBatchByBatchUntilNothingIsStuck() {
        List<String> stuck = stuckEvents(10);

        openWith(new StuckRecovery(2, Duration.ZERO, SHORT));

        awaitStatus(EventStatus.DONE, stuck);
        assertThat(metrics.recovered()).isEqualTo(stuck.size());
    }

    @Test
    void nothingIsTakenOverBeforeItsTime() {
        List<String> stuck = stuckEvents(1);

        Outbox outbox = openWith(new StuckRecovery(100, Duration.ofHours(1), SHORT));
        List<String> fresh = write(outbox, events("A", 1));

        awaitStatus(EventStatus.DONE, fresh);
        await().during(SHORT.multipliedBy(4))
                .atMost(PATIENCE)
                .untilAsserted(() -> assertStatus(EventStatus.NEW, stuck));
        assertThat(metrics.recovered()).isZero();
    }
}
