package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A node keeps its events for as long as it can renew their locks, and never delivers one it may have lost. */
class LeaseKeepingTest extends InMemoryOutboxTest {

    private static final String TYPE = "Leased";
    private static final Duration SHORT = Duration.ofMillis(600);

    private final RenewalGate gate = new RenewalGate(backend);
    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch leave = new CountDownLatch(1);
    private final Queue<String> seen = new ConcurrentLinkedQueue<>();

    /** Begins a node with one worker, whose renewals pass the gate. */
    private Outbox.MultiNodeBuilder gatedNode(Duration lease) {
        return on(gate.backend(), Outbox.multiNode()).claimLocking("a", lease).workerCount(1);
    }

    /** Registers a listener whose first call lasts until the test lets it go. */
    private void registerHeldUp() {
        registry.register(TYPE, event -> {
            seen.add(event.eventId());
            entered.countDown();
            leave.await();
            return DispatchResult.done();
        });
    }

    /** Takes over, as another node would, what that node's lease allows. */
    private List<String> claimAs(String name, Duration lease) {
        ClaimRequest request = ClaimRequest.first(new Lease(name, lease), backend.currentTime(), 100);
        return EngineRules.rowIds(EngineRules.rows(backend.claim(request)));
    }

    private void awaitTakeOver(String name, Duration lease, List<String> eventIds) {
        List<String> taken = new ArrayList<>();
        awaitThat(() -> {
            taken.addAll(claimAs(name, lease));
            assertThat(taken).containsExactlyInAnyOrderElementsOf(eventIds);
        });
    }

    @Test
    void aListenerThatRunsLongerThanTheLeaseKeepsItsEventAndThoseQueuedBehindIt() throws Exception {
        registerHeldUp();
        Outbox outbox = open(gatedNode(SHORT));
        List<String> written = write(outbox, events(TYPE, 5));
        entered.await();

        await().during(SHORT.multipliedBy(4)).atMost(PATIENCE).untilAsserted(() -> {
            assertThat(claimAs("b", SHORT)).isEmpty();
            assertThat(written)
                    .allSatisfy(id -> assertThat(stored(id).lockedBy()).isEqualTo("a"));
        });
        leave.countDown();

        awaitStatus(EventStatus.DONE, written);
        assertThat(seen).containsExactlyElementsOf(written);
        assertThat(metrics.fenced()).isZero();
    }

    @Test
    void aNodeThatCannotRenewItsLocksDeliversNothingThatHasLapsed() throws Exception {
        registerHeldUp();
        Outbox outbox = open(gatedNode(SHORT));
        List<String> written = write(outbox, events(TYPE, 3));
        entered.await();
        gate.shut();

        awaitTakeOver("b", SHORT, written);
        int refused = gate.refused();
        leave.countDown();
        awaitThat(() -> assertThat(gate.refused()).isGreaterThan(refused + 3));
        assertThat(seen).containsExactly(written.get(0));
        gate.open();

        awaitThat(() -> assertThat(metrics.fenced()).isEqualTo(3));
        await().during(SETTLE_TIME).atMost(PATIENCE).until(() -> seen.size() == 1);
        assertThat(written).allSatisfy(id -> assertThat(stored(id).lockedBy()).isEqualTo("b"));
        assertStatus(EventStatus.NEW, written);
    }

    @Test
    void aNodeThatCouldNotRenewItsLocksForAWhileGoesOnIfNoOneTookThemOver() throws Exception {
        registerHeldUp();
        Outbox outbox = open(gatedNode(SHORT));
        List<String> written = write(outbox, events(TYPE, 3));
        entered.await();
        gate.shut();
        Waiting.pause(SHORT.multipliedBy(2));
        leave.countDown();
        await().during(SETTLE_TIME).atMost(PATIENCE).until(() -> seen.size() == 1);

        gate.open();

        awaitStatus(EventStatus.DONE, written);
        assertThat(seen).containsExactlyElementsOf(written);
        assertThat(metrics.fenced()).isZero();
    }

    private void loseToAnotherNode(String id) {
        awaitThat(
                () -> { // the node polls, and may be the first to claim it again
                    backend.release("a", List.of(id));
                    assertThat(claimAs("b", LEASE)).containsExactly(id);
                });
    }

    @Test
    void aQueuedEventWhoseLockHasGoneToAnotherNodeIsDropped() throws Exception {
        registerHeldUp();
        Outbox outbox = open(gatedNode(SHORT));
        List<String> written = write(outbox, events(TYPE, 3));
        entered.await();
        String lost = written.get(1);

        loseToAnotherNode(lost);
        awaitThat(() -> assertThat(metrics.fenced()).isEqualTo(1));
        leave.countDown();

        awaitStatus(EventStatus.DONE, List.of(written.get(0), written.get(2)));
        assertThat(seen).containsExactly(written.get(0), written.get(2));
        assertThat(stored(lost).lockedBy()).isEqualTo("b");
        assertThat(metrics.fenced()).isEqualTo(1);
    }

    @Test
    void anEventThatCameBackAfterItsLockWasLostIsDelivered() throws Exception {
        registerHeldUp();
        Outbox outbox = open(gatedNode(SHORT).intervalMs(20));
        List<String> written = write(outbox, events(TYPE, 3));
        entered.await();
        String lost = written.get(1);
        loseToAnotherNode(lost);
        awaitThat(() -> assertThat(metrics.fenced()).isEqualTo(1));

        backend.release("b", List.of(lost));
        leave.countDown();

        awaitStatus(EventStatus.DONE, written);
        assertThat(seen).containsExactlyInAnyOrderElementsOf(written);
    }

    @Test
    void noEventOfABatchIsDeliveredThatLapsedWhileTheLockOfAnotherCouldNotBeRenewed() throws Exception {
        Duration lease = Duration.ofSeconds(2);
        BatchEventListener batching = events -> {
            events.forEach(event -> seen.add(event.eventId()));
            entered.countDown();
            leave.await();
            return Collections.nCopies(events.size(), BatchOutcome.done());
        };
        registry.register(TYPE, batching);
        Outbox outbox = open(gatedNode(lease));
        String first = write(outbox, events(TYPE, 1)).get(0);
        entered.await();
        EventEnvelope older = EventEnvelope.ofJson(TYPE, "{}");
        EventEnvelope younger = EventEnvelope.ofJson(TYPE, "{}");
        AtomicBoolean renewedAlone = new AtomicBoolean();
        gate.failWhen(ids -> {
            boolean alone = ids.contains(older.eventId()) && !ids.contains(younger.eventId());
            return renewedAlone.getAndSet(renewedAlone.get() || alone);
        });
        write(outbox, List.of(older));
        Waiting.pause(lease.dividedBy(4));
        write(outbox, List.of(younger));
        Waiting.pause(lease.dividedBy(4));

        // by now the lock of the older event is the fresher one
        gate.shut();
        Waiting.pause(lease.dividedBy(2));
        leave.countDown();
        awaitStatus(EventStatus.DONE, List.of(first));
        awaitTakeOver("b", lease, List.of(older.eventId(), younger.eventId()));
        gate.open();

        awaitThat(() -> assertThat(metrics.fenced()).isEqualTo(2));
        await().during(SETTLE_TIME).atMost(PATIENCE).until(() -> seen.size() == 1);
        assertThat(seen).containsExactly(first);
    }
}
