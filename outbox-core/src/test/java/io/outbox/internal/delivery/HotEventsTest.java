package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Reservations;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.writing.Reservation;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.TransactionEnd;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Reservations whose end nobody reports for long, with holds that forget them after a moment. */
@ExtendWith(NoLeftoverThreads.class)
class HotEventsTest {

    private static final Lease LEASE = new Lease("node", Duration.ofMinutes(1));

    private final LaneRig rig = new LaneRig(Reservations.forgottenAfter(Duration.ofMillis(1)), new AlarmLine(), false);
    private final ScriptedBackend backend = rig.backend;
    private final OwnedEvents owned = rig.owned;
    private final CompletionWriter completion = rig.completion;
    private final HotEvents hotEvents = hotEvents();

    private HotEvents hotEvents() {
        EngineMetrics metrics = new EngineMetrics(MetricsExporter.NOOP);
        rig.leases.keepBy(new LeaseKeeper(LEASE, backend, owned, metrics, () -> {}));
        Lanes lanes = new Lanes(Map.of(), rig.lane, rig.context, null);
        lanes.start();
        return new HotEvents(lanes, owned, rig.context, metrics, HotEvents.Keys.NONE);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private Reservation writtenAndForgotten() {
        Reservation reservation = hotEvents.reserve(List.of(Events.event("e")));
        backend.begin();
        reservation.written(backend.persist(reservation.events()));
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            owned.scanStarted();
            owned.scanEnded();
            return !owned.isHeld("e");
        });
        backend.commitSilently();
        assertThat(backend.owner("e")).isEqualTo("node");
        return reservation;
    }

    @Test
    void anEventThatCommitsAfterItsReservationWasForgottenLosesTheLockThatNobodyKeeps() {
        writtenAndForgotten().ended(TransactionEnd.COMMITTED);

        assertThat(completion.flush(Duration.ZERO)).isTrue();
        assertThat(backend.owner("e")).isNull();
        assertThat(owned.size()).isZero();
    }

    @Test
    void anEventWhoseEndIsUnknownAfterItsReservationWasForgottenLosesItsLockToo() {
        writtenAndForgotten().ended(TransactionEnd.UNKNOWN);

        assertThat(completion.flush(Duration.ZERO)).isTrue();
        assertThat(backend.owner("e")).isNull();
        assertThat(owned.size()).isZero();
    }

    @Test
    void aForgottenReservationThatIsRolledBackLeavesTheNextOneOfTheSameEventAlone() {
        Reservation forgotten = writtenAndForgotten();
        hotEvents.reserve(List.of(Events.event("e")));

        forgotten.ended(TransactionEnd.ROLLED_BACK);

        assertThat(owned.isHeld("e")).isTrue();
        assertThat(owned.acquire("e")).isNull();
    }
}
