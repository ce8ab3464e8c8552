package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.EventView;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.WaitingChange;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
