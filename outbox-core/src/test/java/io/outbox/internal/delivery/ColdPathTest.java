package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.internal.polling.PollTarget;
import io.outbox.internal.polling.PollTarget.FoundEvent;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.DueEvent;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Claims that meet an event on its way out of this node's hands. */
@ExtendWith(NoLeftoverThreads.class)
class ColdPathTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final InFlightTracker inFlight = new DefaultInFlightTracker();
    private final AtomicInteger calls = new AtomicInteger();
    private final Gate outcome = new Gate();
    private final Node node = Node.on(backend)
            .named("node", Duration.ofMinutes(1))
            .delivery(settings -> settings.inFlightTracker(inFlight))
            .delivery(settings -> settings.retryPolicy(attempts -> 0))
            .listen(event -> {
                if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("once");
                }
                return DispatchResult.done();
            });

    @AfterEach
    void close() {
        outcome.open();
        node.close();
    }

    /** Lets a claim take the event right after its outcome was written, while the claim's scan is under way. */
    private void claimWhileTheFormerHoldCloses() {
        backend.put(Events.event("e"));
        backend.before(Op.APPLY, call -> outcome.pass());
        node.build();
        node.engine().start();
        node.loop().pollOnce();
        outcome.awaitReached();
        backend.before(Op.CLAIM, call -> {
            outcome.open();
            await().atMost(Duration.ofSeconds(10)).until(() -> inFlight.tryAcquire("e"));
            inFlight.release("e");
        });
        node.loop().pollOnce();
        backend.undisturbed(Op.CLAIM);
        assertThat(backend.row("e").attempts()).isEqualTo(1);
    }

    @Test
    void aClaimWhoseLockMayHaveBeenReleasedIsGivenBackAndTheEventComesAgain() {
        claimWhileTheFormerHoldCloses();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.RELEASE) == 1);
        assertThat(backend.owner("e")).isNull();
        node.loop().pollOnce();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e") == EventStatus.DONE);
        assertThat(node.delivered()).hasSize(2);
    }

    @Test
    void aClaimInAStoreThatReleasesNothingIsAsGoodAsAnyOther() {
        backend.without(Capability.RELEASE);

        claimWhileTheFormerHoldCloses();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e") == EventStatus.DONE);
        assertThat(node.delivered()).hasSize(2);
    }

    /** As an error of the JVM would, what is no event fails right after it was acquired. */
    @Test
    void whateverFailsWhileAPageIsTakenInTheEventsAreHeldByNobody() {
        node.build();
        List<FoundEvent> page = new ArrayList<>();
        for (String id : List.of("e1", "e2", "e3")) {
            backend.put(Events.event(id));
            DueEvent row = new DueEvent(backend.row(id).event(), null);
            page.add(new FoundEvent(row, id.equals("e2") ? null : Events.event(id)));
        }
        PollTarget.Claim claim = new PollTarget.Claim("node", System.nanoTime());

        assertThatThrownBy(() -> node.engine().coldPath().offer(page, claim, taken -> {}))
                .isInstanceOf(NullPointerException.class);
        node.engine().start();

        for (String id : List.of("e1", "e2", "e3")) {
            await().atMost(Duration.ofSeconds(10)).until(() -> inFlight.tryAcquire(id));
        }
    }
}
