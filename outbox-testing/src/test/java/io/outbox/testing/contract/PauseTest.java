package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.model.PendingEvents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A paused outbox delivers nothing, loses nothing, and keeps nothing from the others. */
class PauseTest extends InMemoryOutboxTest {

    private static final String LANED = "Laned";
    private static final String SHARED = "Shared";

    private Outbox.AbstractBuilder<?> withLane(Outbox.AbstractBuilder<?> builder) {
        return builder.lane(LANED, LanePolicy.builder().build());
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsDeliveredUntilItIsResumedAndThenEverythingOnce(Mode mode) {
        registry.register(LANED, deliveries.succeeding());
        registry.register(SHARED, deliveries.succeeding());
        Outbox outbox = open(withLane(outbox(mode)).intervalMs(5));

        outbox.pause();
        List<String> written =
                all(write(outbox, events(LANED, 20)), write(outbox, events(SHARED, 20)), store(events(SHARED, 20)));

        await().during(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> deliveries.succeeded() == 0);
        assertThat(outbox.state()).isEqualTo(State.PAUSED);
        assertThat(outbox.status().pending())
                .extracting(PendingEvents::eventType, PendingEvents::count)
                .containsExactlyInAnyOrder(tuple(LANED, 20L), tuple(SHARED, 40L));
        outbox.resume();

        awaitDeliveredOnce(written);
        assertThat(outbox.state()).isEqualTo(State.RUNNING);
    }

    @ParameterizedTest
    @EnumSource
    void listenersFinishWhatTheyHaveAndTheQueuedEventsGoBack(Mode mode) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        registry.register(LANED, deliveries.recording((event, attempt) -> {
            entered.countDown();
            leave.await();
            return DispatchResult.done();
        }));
        Outbox outbox = open(withLane(outbox(mode)));
        List<String> written = write(outbox, events(LANED, 10));
        entered.await();

        outbox.pause();
        leave.countDown();

        awaitThat(() -> assertThat(deliveries.succeeded()).isEqualTo(1));
        awaitThat(() -> assertThat(written)
                .allSatisfy(id -> assertThat(stored(id).lockedBy()).isNull()));
        await().during(SETTLE_TIME).atMost(PATIENCE).until(() -> deliveries.succeeded() == 1);
        assertThat(outbox.status().hotQueueDepth()).isZero();
        outbox.resume();

        awaitDeliveredOnce(written);
    }

    @Test
    void anotherNodeDeliversWhatAPausedOneWrites() {
        registry.register(LANED, deliveries.succeeding());
        registry.register(SHARED, deliveries.succeeding());
        Outbox paused = open(withLane(node("paused", LEASE)));
        open(withLane(node("active", LEASE)).intervalMs(5));

        paused.pause();
        List<String> written = all(write(paused, events(LANED, 20)), write(paused, events(SHARED, 20)));

        awaitDeliveredOnce(written);
    }

    @ParameterizedTest
    @EnumSource
    void pausesUnderLoadLoseAndRepeatNothing(Mode mode) {
        registry.register(LANED, deliveries.succeeding());
        registry.register(SHARED, deliveries.failingSometimes());
        Outbox outbox = open(withLane(outbox(mode)));
        AtomicBoolean writing = new AtomicBoolean(true);
        List<Callable<List<String>>> tasks = new ArrayList<>();
        for (String type : List.of(LANED, SHARED, LANED)) {
            tasks.add(() -> {
                List<String> written = new ArrayList<>();
                while (writing.get()) {
                    written.addAll(write(outbox, events(type, 2)));
                    Waiting.pause(Duration.ofMillis(2));
                }
                return written;
            });
        }
        AtomicInteger deliveredWhilePaused = new AtomicInteger();
        tasks.add(() -> {
            for (int i = 0; i < 10; i++) {
                outbox.pause();
                Waiting.pause(SETTLE_TIME);
                int before = deliveries.succeeded();
                Waiting.pause(Duration.ofMillis(20));
                deliveredWhilePaused.addAndGet(deliveries.succeeded() - before);
                outbox.resume();
                Waiting.pause(Duration.ofMillis(30));
            }
            writing.set(false);
            return List.of();
        });

        List<String> written = new ArrayList<>();
        Parallel.run(tasks).forEach(written::addAll);

        awaitDeliveredOnce(written);
        assertThat(deliveredWhilePaused).hasValue(0);
        assertStatus(EventStatus.DONE, written);
    }

    @ParameterizedTest
    @EnumSource
    void anEventThatWaitsForItsRateIsNotDeliveredWhilePaused(Mode mode) {
        registry.register(LANED, deliveries.succeeding());
        Outbox outbox = open(
                outbox(mode).lane(LANED, LanePolicy.builder().maxPerSecond(3).build()));
        List<String> written = write(outbox, events(LANED, 3));
        awaitThat(() -> assertThat(deliveries.succeeded()).isEqualTo(1));

        outbox.pause();

        await().during(Duration.ofMillis(600)).atMost(PATIENCE).until(() -> deliveries.succeeded() == 1);
        outbox.resume();
        awaitDeliveredOnce(written);
    }
}
