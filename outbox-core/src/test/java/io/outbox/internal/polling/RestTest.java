package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.LanePolicy;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What many event types cost while nothing happens. */
@ExtendWith(NoLeftoverThreads.class)
class RestTest {

    private static final int TYPES = 100;
    private static final Duration LONG = Duration.ofSeconds(10);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Node node = Node.on(backend).metrics(metrics).polling(settings -> settings.intervalMs(20));

    @AfterEach
    void close() {
        node.close();
    }

    private void startWithLanes(boolean several) {
        if (several) {
            node.named("node", Duration.ofMinutes(1));
        }
        for (int i = 0; i < TYPES; i++) {
            String type = "Type" + i;
            node.listen(type, event -> DispatchResult.done())
                    .delivery(
                            settings -> settings.lane(type, LanePolicy.builder().build()));
        }
        node.start();
    }

    private long pagesRead() {
        return backend.calls(Op.FETCH) + backend.calls(Op.CLAIM);
    }

    private long calls() {
        return Stream.of(Op.values()).mapToLong(backend::calls).sum();
    }

    private void awaitRest() {
        await().atMost(LONG).until(() -> {
            long before = pagesRead();
            awaitLooks(3);
            return pagesRead() == before;
        });
    }

    private void awaitLooks(int more) {
        long looks = backend.calls(Op.NEXT_DUE);
        await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> backend.calls(Op.NEXT_DUE) >= looks + more);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneLookAtTheStoreAnswersForAllTypes(boolean several) {
        startWithLanes(several);
        awaitRest();
        long calls = calls();
        long looks = backend.calls(Op.NEXT_DUE);

        awaitLooks(20);

        long looked = backend.calls(Op.NEXT_DUE) - looks;
        assertThat(calls() - calls).isBetween(looked - 1, looked + 1);
        assertThat(metrics.get("oldestLagMs")).isZero();
    }

    @Test
    void typesAtRestHaveNoThreads() {
        startWithLanes(false);

        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().startsWith("outbox-"))
                .hasSizeLessThan(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOthersWriteIsFoundAtTheNextLook(boolean several) {
        startWithLanes(several);
        awaitRest();

        for (int round = 0; round < 20; round++) {
            String id = "e" + round;
            backend.put(Events.event(id, "Type" + round));
            await().atMost(LONG)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> node.delivered().contains(id));
        }
    }

    @Test
    void eventsOfLongAgoAreFoundToo() {
        startWithLanes(false);
        awaitRest();

        backend.put(EventEnvelope.builder("Type1")
                .eventId("old")
                .payloadJson("{}")
                .occurredAt(Instant.EPOCH.minusSeconds(1))
                .build());

        await().atMost(LONG).until(() -> node.delivered().contains("old"));
    }

    @Test
    void whatIsDueLaterEndsTheRestInTime() {
        node.polling(settings -> settings.intervalMs(Node.NEVER_MS));
        startWithLanes(false);
        await().atMost(LONG).until(() -> pagesRead() >= TYPES);

        node.write(EventEnvelope.builder("Type7")
                .payloadJson("{}")
                .availableAt(Instant.now().plusMillis(300))
                .build());

        await().atMost(LONG).until(() -> node.delivered().size() == 1);
    }

    @Test
    void aStoreThatFailsMeanwhileIsReadWhenItIsBack() {
        startWithLanes(false);
        awaitRest();
        backend.down();
        long looks = backend.calls(Op.NEXT_DUE);
        await().atMost(LONG).until(() -> backend.calls(Op.NEXT_DUE) > looks);
        backend.put(Events.event("e", "Type3"));
        backend.up();

        await().atMost(LONG).until(() -> node.delivered().contains("e"));
        awaitRest();
    }
}
