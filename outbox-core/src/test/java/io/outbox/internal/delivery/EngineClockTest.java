package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Due times among nodes whose clocks differ from the store's. */
@ExtendWith(NoLeftoverThreads.class)
class EngineClockTest {

    private final ScriptedBackend backend = new ScriptedBackend();

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void aRetryIsDueByTheStoresClockWhateverTheNodesOwnSays(long nodeAheadSeconds) {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(nodeAheadSeconds));
        AtomicInteger calls = new AtomicInteger();
        backend.put(Events.event("e"));
        try (Node node = Node.on(backend)
                .named("node", Duration.ofMinutes(1))
                .delivery(settings -> settings.clock(clock))
                .delivery(settings -> settings.retryPolicy(attempts -> 200))
                .polling(settings -> settings.clock(clock))
                .listen(event -> {
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalStateException("once");
                    }
                    return DispatchResult.done();
                })
                .start()) {
            Instant before = Instant.now();

            await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.NEW) == 0);
            assertThat(backend.row("e").availableAt()).isBetween(before, before.plusSeconds(30));

            await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e") == EventStatus.DONE);
            assertThat(node.delivered()).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void aRetryIsDueByTheStoresClockBeforeThePollerHasReadIt(long nodeAheadSeconds) {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofSeconds(nodeAheadSeconds));
        try (Node node = Node.on(backend)
                .named("node", Duration.ofMinutes(1))
                .delivery(settings -> settings.clock(clock))
                .delivery(settings -> settings.retryPolicy(attempts -> 200))
                .listen(event -> {
                    throw new IllegalStateException("always");
                })
                .build()) {
            node.engine().start();
            Instant before = Instant.now();

            node.write(Events.event("e"));

            await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e") == EventStatus.RETRY);
            assertThat(backend.row("e").availableAt()).isBetween(before, before.plusSeconds(30));
        }
    }

    /**
     * A batch listener says at once that its target is silent, and the store takes its time to tell what time it is.
     */
    @Test
    void noWriterWaitsForTheStoreToTellItsTime() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        backend.before(Op.CURRENT_TIME, call -> {
            asked.countDown();
            answer.join();
        });
        BatchEventListener.Waiting silent = (events, infos, silence) -> {
            silence.accept(new RouteUnavailableException("nothing heard"));
            return List.of(BatchOutcome.done());
        };
        try (Node node = Node.on(backend)
                .named("node", Duration.ofMinutes(1))
                .listenDirectly(silent)
                .build()) {
            node.engine().start();
            node.write(Events.event("e"));
            assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();

            CompletableFuture<Void> written = CompletableFuture.runAsync(() -> node.write(Events.event("f")));

            try {
                assertThat(written).succeedsWithin(Duration.ofSeconds(10));
            } finally {
                answer.complete(null);
            }
        }
    }

    @Test
    void aStoreThatDoesNotTellItsTimeLeavesTheNodeItsOwn() {
        Instant now = Instant.parse("2026-01-02T03:04:05Z");
        EngineClock clock = EngineClock.setBy(
                () -> {
                    throw new IllegalStateException("down");
                },
                Clock.fixed(now, ZoneOffset.UTC));

        assertThat(clock.now()).isEqualTo(now);
        clock.storeIsAhead(Duration.ofSeconds(1));
        assertThat(clock.now()).isEqualTo(now.plusSeconds(1));
    }

    @Test
    void theClockHasThePrecisionOfTheStore() {
        EngineClock clock = EngineClock.of(Clock.systemUTC());
        clock.storeIsAhead(Duration.ofNanos(1_234_567));

        assertThat(clock.now().getNano() % 1000).isZero();
    }
}
