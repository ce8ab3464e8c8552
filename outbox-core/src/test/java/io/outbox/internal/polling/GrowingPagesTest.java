package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Where nobody has set a batch size, pages grow while a backlog drains. */
@ExtendWith(NoLeftoverThreads.class)
class GrowingPagesTest {

    private static final int EVENTS = 2_000;
    private static final int PAGES_OF_THE_DEFAULT = EVENTS / PollSettings.DEFAULT_BATCH_SIZE;
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ScriptedBackend backend = new ScriptedBackend();

    private void putBacklog() {
        for (int i = 0; i < EVENTS; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    private void drain(Node node) {
        putBacklog();
        try (node) {
            node.delivery(settings -> settings.coldQueueCapacity(EVENTS))
                    .listen(event -> DispatchResult.done())
                    .start();
            await().atMost(Duration.ofSeconds(30)).until(() -> backend.count(EventStatus.DONE) == EVENTS);
            assertThat(node.delivered()).hasSize(EVENTS).doesNotHaveDuplicates();
        }
    }

    @Test
    void aBacklogTakesFarFewerReadsThanPagesOfTheDefault() {
        drain(Node.on(backend));

        assertThat(backend.calls(Op.FETCH)).isLessThan(PAGES_OF_THE_DEFAULT / 2);
    }

    @Test
    void aBatchSizeThatIsSetStaysEvenIfItIsTheDefault() {
        drain(Node.on(backend).polling(settings -> settings.batchSize(PollSettings.DEFAULT_BATCH_SIZE)));

        assertThat(backend.calls(Op.FETCH)).isGreaterThanOrEqualTo(PAGES_OF_THE_DEFAULT);
    }

    @Test
    void theBatchSizeOfALaneStays() {
        drain(Node.on(backend)
                .delivery(settings -> settings.lane(
                        Events.TYPE, LanePolicy.builder().batchSize(50).build())));

        assertThat(backend.calls(Op.FETCH)).isGreaterThanOrEqualTo(PAGES_OF_THE_DEFAULT);
    }

    @Test
    void aSinglePollReadsTheDefault() {
        putBacklog();
        try (Node node = Node.on(backend).listen(event -> DispatchResult.done()).build()) {
            node.loop().pollOnce();
            node.loop().pollOnce();

            assertThat(backend.rowsRead()).isEqualTo(2L * PollSettings.DEFAULT_BATCH_SIZE);
        }
    }

    @Test
    void aHandlerOfTheApplicationsOwnGetsPagesOfTheDefault() {
        putBacklog();
        AtomicInteger handled = new AtomicInteger();
        try (OutboxPoller poller = OutboxPoller.builder()
                .backend(backend)
                .handler((event, attempts) -> handled.incrementAndGet() > 0)
                .claimLocking("node", LEASE)
                .build()) {
            poller.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> handled.get() == EVENTS);
        }

        assertThat(backend.calls(Op.CLAIM)).isGreaterThanOrEqualTo(PAGES_OF_THE_DEFAULT);
    }

    /** What a node may claim ahead of its workers is 100 events while it has not shown that it is faster. */
    @Test
    void aNodeWhoseListenersStandStillClaimsNoMoreThanWithSmallPages() {
        putBacklog();
        Gate gate = new Gate();
        try (Node node = Node.on(backend)
                .named("node", LEASE)
                .delivery(settings -> settings.workerCount(2))
                .listen(event -> {
                    gate.pass();
                    return DispatchResult.done();
                })
                .start()) {
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() >= 100);
            await().during(Duration.ofMillis(300))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> backend.locked() <= 100 + 2);
            assertThat(node.delivered()).hasSize(2);
            gate.open();
        }
    }
}
