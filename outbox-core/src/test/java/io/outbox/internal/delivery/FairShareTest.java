package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spi.EventTypes;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How lanes share what they all need: memory, and the poller's attention. */
@ExtendWith(NoLeftoverThreads.class)
class FairShareTest {

    private static final int LARGE = 1_000_000;
    private static final String STUCK = "Stuck";
    /** One text for all events, so that the test itself needs no memory for them. */
    private static final String PAYLOAD = '"' + "x".repeat(LARGE - 2) + '"';

    private final CountingMetrics metrics = new CountingMetrics();
    private final Gate gate = new Gate();
    private final Node node = Node.on(new ScriptedBackend()).metrics(metrics);

    @AfterEach
    void close() {
        gate.open();
        node.close();
    }

    private static EventEnvelope large(String id, String type) {
        return Events.event(id, type).toBuilder().payloadJson(PAYLOAD).build();
    }

    @Test
    void aLaneWithAStuckListenerAndLargeEventsLeavesRoomToTheOthers() {
        long mostBytes = Math.min(256L << 20, Runtime.getRuntime().maxMemory() / 8) / 2;
        int many = (int) (mostBytes / LARGE) * 3;
        node.delivery(settings -> settings.lane(
                        STUCK,
                        LanePolicy.builder().queueCapacity(many).concurrency(1).build()))
                .listen(STUCK, event -> {
                    gate.pass();
                    return DispatchResult.done();
                })
                .listen(event -> DispatchResult.done())
                .start();
        for (int i = 0; i < many; i++) {
            node.write(large("stuck" + i, STUCK));
        }
        assertThat((long) node.engine().hotQueueDepth() * LARGE).isLessThanOrEqualTo(mostBytes + LARGE);
        long stuck = metrics.get("hotEnqueued");

        for (int i = 0; i < 50; i++) {
            node.write(large("other" + i, Events.TYPE));
            String id = "other" + i;
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> node.delivered().contains(id));
        }

        assertThat(metrics.get("hotEnqueued") - stuck).isEqualTo(50);
    }

    @Test
    void anAlarmForOneTypeConcernsOnlyItsLane() {
        node.delivery(settings -> {
                    for (int i = 0; i < 100; i++) {
                        settings.lane("Type" + i, LanePolicy.builder().build());
                    }
                })
                .listen(event -> DispatchResult.done())
                .build();

        assertThat(node.engine().coldPath().feeds()).hasSize(101);
        assertThat(node.engine().coldPath().feeds(EventTypes.only("Type7")))
                .hasSize(1)
                .allSatisfy(feed -> assertThat(feed.types()).isEqualTo(EventTypes.only("Type7")));
        assertThat(node.engine().coldPath().feeds(EventTypes.ALL)).hasSize(101);
    }
}
