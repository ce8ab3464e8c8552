package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventView;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.WaitingChange;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Rules of what operators do to events that wait, beside delivery. */
abstract class DeliveryWaitingRules extends DeliveryRules {

    private static final Duration FAR = Duration.ofHours(1);
    private static final int OPERATORS = 3;
    private static final int EVENTS_AT_A_TIME = 6;

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final Set<String> begun = ConcurrentHashMap.newKeySet();

    DeliveryWaitingRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    private EventListener slow() {
        return event -> {
            begun.add(event.eventId());
            if (!mayEnd.await(size.patience().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("never let through");
            }
            return DispatchResult.done();
        };
    }

    private String write(Outbox outbox, Duration delay) {
        String[] id = new String[1];
        engine.inTransaction(
                () -> id[0] = outbox.writer().write(event().deliverAfter(delay).build()));
        return id[0];
    }

    @Test
    void oneNodeRetriesAndCancelsWhatWaitsAndLeavesWhatItHasInHand() {
        assertOperations(open(singleNode()), WaitingChange.THIS_NODE);
    }

    @Test
    void anyOfSeveralNodesRetriesAndCancelsWhatWaitsAndLeavesWhatAnotherHasInHand() {
        if (multiNodeIsRefused()) {
            return;
        }
        open(multiNode("node-a", LEASE));
        assertOperations(open(multiNode("node-b", LEASE).startManually()), "node-a");
    }

    @Test
    void theEndOfAnEventIsAwaitedOnTheNodeThatDeliversItAndOnOthers() throws Exception {
        registry.register(TYPE, event -> {
            if (event.payloadJson().contains("bad")) {
                throw new UnrecoverableException("Refused", new IllegalArgumentException("no such account"));
            }
            return DispatchResult.done();
        });
        Outbox delivering = open(backend.supports(Capability.CLAIM) ? multiNode("node-a", LEASE) : singleNode());
        Outbox other = backend.supports(Capability.CLAIM)
                ? open(multiNode("node-b", LEASE).startManually())
                : delivering;
        String waiting = write(delivering, FAR);
        String good = store(event().build());
        String bad = store(event().payloadJson("{\"is\":\"bad\"}").build());

        for (Outbox outbox : List.of(delivering, other)) {
            EventView done = outbox.await(good, size.patience());
            assertThat(done.state()).isEqualTo(EventView.State.DONE);
            assertThat(done.doneAt()).isNotNull();
            EventView dead = outbox.await(bad, size.patience());
            assertThat(dead.state()).isEqualTo(EventView.State.DEAD);
            assertThat(dead.rootCause()).contains("no such account");
            assertThatThrownBy(() -> outbox.await(waiting, Duration.ofMillis(1)))
                    .isInstanceOf(TimeoutException.class)
                    .hasMessageContainingAll(waiting, "WAITING");
            assertThat(outbox.find(waiting).orElseThrow().state()).isEqualTo(EventView.State.WAITING);
            assertThat(outbox.find("unknown")).isEmpty();
        }
    }

    @Test
    void onOneNodeAnEventIsEitherDeliveredOrCancelledWhateverOperatorsDoBesideDelivery() {
        assertEitherOr(List.of(open(singleNode())));
    }

    @Test
    void onSeveralNodesAnEventIsEitherDeliveredOrCancelledWhateverOperatorsDoBesideDelivery() {
        if (multiNodeIsRefused()) {
            return;
        }
        List<Outbox> nodes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            nodes.add(open(multiNode("node-" + i, LEASE)));
        }
        assertEitherOr(nodes);
    }

    /** Lets operators cancel and hurry events all the time while these are written, fail, and are tried again. */
    private void assertEitherOr(List<Outbox> nodes) {
        registry.register(TYPE, deliveries.failingSometimes());
        List<Callable<Void>> operators = new ArrayList<>();
        Set<String> written = ConcurrentHashMap.newKeySet();
        Set<String> cancelled = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < OPERATORS; i++) {
            Random random = new Random(i);
            operators.add(() -> {
                for (int t = 0; t < size.transactionsPerWriter(); t++) {
                    Outbox asked = nodes.get(random.nextInt(nodes.size()));
                    List<EventEnvelope> events = events(TYPE, EVENTS_AT_A_TIME);
                    engine.inTransaction(() -> asked.writer().writeAll(events));
                    written.addAll(ids(events));
                    cancelled.addAll(operate(nodes, ids(events), random));
                }
                return null;
            });
        }

        Parallel.run(operators);

        assertThat(cancelled).isNotEmpty();
        awaitStatus(EventStatus.DEAD, cancelled);
        written.removeAll(cancelled);
        assertThat(written).isNotEmpty();
        assertDelivered(written);
        assertThat(stored(cancelled)).allSatisfy(event -> {
            assertThat(event.status()).isEqualTo(EventStatus.DEAD);
            assertThat(event.lastError()).startsWith("Cancelled by ann");
        });
    }

    /** Hurries all events until they have ended, and tries to cancel every other; returns those that were cancelled. */
    private Set<String> operate(List<Outbox> nodes, List<String> eventIds, Random random) {
        Set<String> cancelled = new HashSet<>();
        Set<String> open = new HashSet<>(eventIds);
        Waiting.until(size.patience(), () -> "events that do not end: " + open, () -> {
            List<String> chosen = open.stream()
                    .filter(id -> Math.floorMod(id.hashCode(), 2) == 0)
                    .toList();
            WaitingChange cancel =
                    nodes.get(random.nextInt(nodes.size())).waiting().cancel(chosen, "ann");
            cancelled.addAll(cancel.changed());
            open.removeAll(cancel.changed());
            open.removeAll(nodes.get(random.nextInt(nodes.size()))
                    .waiting()
                    .retryNow(open)
                    .ended());
            return open.isEmpty();
        });
        return cancelled;
    }

    private void assertOperations(Outbox outbox, String holder) {
        registry.register(TYPE, slow());
        String inHand = store(event().build());
        Waiting.until(size.patience(), () -> "not begun: " + stored(inHand), () -> begun.contains(inHand));
        String cancelled = write(outbox, FAR);
        String retried = write(outbox, FAR);

        WaitingChange cancel = outbox.waiting().cancel(List.of(inHand, cancelled, "unknown"), "ann");
        WaitingChange retry = outbox.waiting().retryNow(List.of(inHand, cancelled, retried));

        assertThat(cancel)
                .isEqualTo(new WaitingChange(Set.of(cancelled), Map.of(inHand, holder), Set.of(), Set.of("unknown")));
        assertThat(retry.ended()).containsExactly(cancelled);
        assertThat(retry.changed()).contains(retried);
        assertThat(backend.lookUp(List.of(cancelled)).get(0).lastError()).isEqualTo("Cancelled by ann");
        Waiting.until(size.patience(), () -> "not begun: " + stored(retried), () -> begun.contains(retried));
        mayEnd.countDown();
        awaitStatus(EventStatus.DONE, List.of(inHand, retried));
        assertThat(begun).doesNotContain(cancelled);
        assertThat(outbox.deadEvents().replay(cancelled)).isTrue();
        awaitStatus(EventStatus.DONE, List.of(cancelled));
    }
}
