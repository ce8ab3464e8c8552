package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.poller.StuckRecovery;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When events of a dead node are taken over, if that happens at times of its own. */
@ExtendWith(NoLeftoverThreads.class)
class RecoveryTimeTest {

    private static final Duration LEASE = Duration.ofSeconds(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Node node = Node.on(backend)
            .named("heir", LEASE)
            .polling(settings -> settings.intervalMs(50))
            .listen(event -> DispatchResult.done());

    @AfterEach
    void close() {
        node.close();
    }

    private void recoverAfter(Duration delay) {
        node.polling(settings -> settings.recovery(new StuckRecovery(10, delay, Duration.ofHours(1))));
    }

    @Test
    void aTimeThatFallsIntoAMomentOfCautionIsMadeUpForWhenThatIsOver() {
        recoverAfter(Duration.ZERO);
        backend.put(Events.event("stuck"), "dead");
        backend.age("stuck", Duration.ofMinutes(1));
        backend.before(Op.CURRENT_TIME, call -> {
            if (call.number() == 1) {
                throw ScriptedBackend.unreachable();
            }
        });

        node.start();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("stuck") == EventStatus.DONE);
        assertThat(backend.calls(Op.CLAIM)).as("claims before that one").isPositive();
    }

    /**
     * Walks that leave types out begin where they have found something, if that is dear and the store cannot tell the
     * types.
     */
    @Test
    void whatTheDeadNodeHeldIsFoundBeforeWhatWasToBeHad() {
        recoverAfter(Duration.ofSeconds(5));
        backend.withoutIndexByType();
        backend.put(Events.eventAt("stuck", Instant.now().minus(Duration.ofHours(1))), "dead");
        backend.age("stuck", Duration.ofMinutes(1));
        backend.before(Op.CLAIM, call -> {
            if (call.number() <= 4) {
                LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            }
        });
        node.delivery(settings -> settings.lane("Laned", LanePolicy.builder().build()));

        node.start();

        await().atMost(Duration.ofSeconds(30)).until(() -> backend.status("stuck") == EventStatus.DONE);
    }
}
