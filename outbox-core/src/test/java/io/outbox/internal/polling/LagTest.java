package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The age of the oldest event that is due and not finished, wherever it is. */
@ExtendWith(NoLeftoverThreads.class)
class LagTest {

    private static final Duration AGE = Duration.ofSeconds(100);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Gate listener = new Gate();
    private final Node node = Node.on(backend).metrics(metrics).polling(settings -> settings.intervalMs(20));

    @AfterEach
    void close() {
        listener.open();
        node.close();
    }

    private void put(int count) {
        for (int i = 0; i < count; i++) {
            backend.put(old("e" + i));
        }
    }

    private static EventEnvelope old(String eventId) {
        return Events.eventAt(eventId, Instant.now().minus(AGE));
    }

    private void awaitLag() {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(() -> assertThat(metrics.get("oldestLagMs")).isGreaterThanOrEqualTo(AGE.toMillis()));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itGrowsWhileAllWorkersAreBlockedAndAllEventsInTheirQueue(boolean several) {
        if (several) {
            node.named("node", Duration.ofMinutes(1));
        }
        put(20);
        node.delivery(settings -> settings.coldQueueCapacity(100))
                .listen(event -> {
                    listener.pass();
                    return DispatchResult.done();
                })
                .start();
        await().atMost(Duration.ofSeconds(10)).until(() -> node.engine().coldQueueDepth() == 20 - 4);
        long measured = backend.calls(Op.NEXT_DUE);

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.NEXT_DUE) > measured);
        awaitLag();

        listener.open();
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics.get("oldestLagMs")).isZero());
    }

    @Test
    void itGrowsWhileATargetIsUnavailable() {
        put(5);
        node.listen(event -> {
                    throw new RouteUnavailableException("down");
                })
                .start();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !node.engine().unavailable().isEmpty());
        long measured = backend.calls(Op.NEXT_DUE);

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.NEXT_DUE) > measured + 1);
        awaitLag();
    }

    @Test
    void itTellsOfEventsInTheHandsOfOtherNodes() {
        backend.put(old("e"), "other");

        node.named("node", Duration.ofMinutes(1))
                .listen(event -> DispatchResult.done())
                .start();

        awaitLag();
        assertThat(node.delivered()).isEmpty();
    }

    @Test
    void itIsMeasuredWhileABacklogIsReadThatTakesLong() {
        AtomicInteger count = new AtomicInteger();
        backend.before(Op.FETCH, call -> {
            for (int i = 0; backend.calls(Op.NEXT_DUE) < 2 && i < 60; i++) {
                backend.put(old("e" + count.getAndIncrement()));
            }
        });
        node.polling(settings -> {
                    settings.intervalMs(Node.NEVER_MS);
                    settings.batchSize(50); // fewer than come with every read
                })
                .delivery(settings -> settings.coldQueueCapacity(100_000))
                .listen(event -> DispatchResult.done())
                .start();

        await().atMost(Duration.ofSeconds(20)).until(() -> backend.calls(Op.NEXT_DUE) >= 2);
        awaitLag();
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DONE) == count.get());
    }

    @Test
    void aStoreThatCannotTellKeepsNobodyFromDelivering() {
        backend.before(Op.LOOK_BY_TYPE, call -> {
            throw new NoClassDefFoundError("of the store");
        });
        node.listen(event -> DispatchResult.done()).start();
        for (int i = 0; i < 3; i++) {
            long measured = backend.calls(Op.LOOK_BY_TYPE);
            backend.put(old("e" + i));
            int delivered = i + 1;

            await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == delivered);
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.LOOK_BY_TYPE) > measured);
        }
    }
}
