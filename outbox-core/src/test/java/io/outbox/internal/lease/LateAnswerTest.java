package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Locks that are older than they look, because what wrote them was answered late or took long. */
@ExtendWith(NoLeftoverThreads.class)
class LateAnswerTest {

    private static final Duration LEASE = Duration.ofMillis(900);
    private static final Duration LATE = LEASE.multipliedBy(3).dividedBy(4);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final Node node = Node.on(backend)
            .metrics(metrics)
            .named("node", LEASE)
            .listen(event -> {
                calls.add("listener");
                return DispatchResult.done();
            });

    @AfterEach
    void close() {
        node.close();
    }

    /** Builds the node and starts all but its poller. */
    private void start() {
        backend.before(Op.RENEW, call -> calls.add("renewal"));
        node.build();
        node.engine().start();
    }

    private static void waitFor(Duration time) {
        await().pollDelay(time).until(() -> true);
    }

    private void awaitDone() {
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e") == EventStatus.DONE);
    }

    @Test
    void anEventWhoseClaimIsAnsweredLateIsRenewedBeforeItIsDelivered() {
        backend.put(Events.event("e"));
        start();
        backend.after(Op.CLAIM, call -> waitFor(LATE));

        node.loop().pollOnce();

        awaitDone();
        assertThat(calls).containsSubsequence("renewal", "listener");
    }

    @Test
    void anEventThatAnotherNodeTookWhileItsClaimWasOnItsWayIsNotDelivered() {
        backend.put(Events.event("e"));
        start();
        backend.after(Op.CLAIM, call -> {
            waitFor(LATE);
            backend.steal("e", "other");
        });

        node.loop().pollOnce();

        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(metrics.get("fenced")).isEqualTo(1));
        node.close();
        assertThat(calls).doesNotContain("listener");
        assertThat(backend.owner("e")).isEqualTo("other");
    }

    @Test
    void anEventOfALongTransactionIsRenewedBeforeItIsDelivered() {
        start();
        backend.begin();
        node.writer().write(Events.event("e"));
        waitFor(LATE);

        backend.commit();

        awaitDone();
        assertThat(calls).containsSubsequence("renewal", "listener");
    }

    @Test
    void anEventThatAnotherNodeTookBeforeItsLongTransactionWasReportedIsNotDelivered() {
        start();
        backend.begin();
        node.writer().write(Events.event("e"));
        waitFor(LATE);
        Runnable report = backend.commitSilently();
        backend.steal("e", "other");

        report.run();

        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(metrics.get("fenced")).isEqualTo(1));
        node.close();
        assertThat(calls).doesNotContain("listener");
    }

    @Test
    void anEventWhoseLockIsFreshIsDeliveredWithoutARenewal() {
        node.named("node", Duration.ofMinutes(1));
        start();

        node.write(Events.event("e"));

        awaitDone();
        assertThat(calls).containsExactly("listener");
    }
}
