package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A target that cannot be reached costs no attempts and holds up no other type, and is found again soon. */
class LaneCircuitTest extends InMemoryOutboxTest {

    private static final String ROUTED = "Routed";
    private static final String LANED = "Laned";
    private static final String SHARED = "Shared";
    private static final Duration OUTAGE = Duration.ofMillis(1_200);
    private static final Duration BACK_SOON = Duration.ofSeconds(3);

    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean down = true;

    private DispatchResult send(EventEnvelope event, int attempt) {
        calls.incrementAndGet();
        if (down) {
            throw new RouteUnavailableException("the broker is down");
        }
        return DispatchResult.done();
    }

    private void registerTypes() {
        registry.register(ROUTED, deliveries.recording(this::send));
        registry.register(LANED, deliveries.succeeding());
        registry.register(SHARED, deliveries.succeeding());
    }

    private static LanePolicy.Builder lane() {
        return LanePolicy.builder().queueCapacity(10).retryPolicy(attempts -> 5);
    }

    private Outbox.AbstractBuilder<?> withLanes(Outbox.AbstractBuilder<?> builder) {
        return builder.lane(ROUTED, lane().build()).lane(LANED, lane().build());
    }

    private void awaitOutage() {
        awaitThat(() -> assertThat(metrics.routes()).contains(ROUTED + " down"));
    }

    private void assertUntouched(List<String> eventIds) {
        assertThat(eventIds).allSatisfy(id -> {
            assertThat(stored(id).status()).isEqualTo(EventStatus.NEW);
            assertThat(stored(id).attempts()).isZero();
        });
    }

    private void awaitUnlocked(List<String> eventIds) {
        awaitThat(() -> assertThat(eventIds)
                .allSatisfy(id -> assertThat(stored(id).lockedBy()).isNull()));
    }

    @Test
    void inStrictOrderNoEventOvertakesTheOneThatWaits() {
        Queue<String> delivered = new ConcurrentLinkedQueue<>();
        registry.register(ROUTED, event -> {
            if (calls.incrementAndGet() % 4 <= 1) {
                throw new RouteUnavailableException("the broker comes and goes");
            }
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        List<String> written = store(events(ROUTED, 6));

        open(on(backend, Outbox.ordered()));

        awaitStatus(EventStatus.DONE, written);
        assertThat(delivered).containsExactlyElementsOf(written);
    }

    @ParameterizedTest
    @EnumSource
    void eventsOfAnUnreachableTargetWaitUncountedAndAreDeliveredOnceItIsBack(Mode mode) {
        registerTypes();
        List<String> cold = store(events(ROUTED, 20));
        Outbox outbox = open(withLanes(outbox(mode)));
        List<String> hot = write(outbox, events(ROUTED, 20));
        List<String> others = all(write(outbox, events(LANED, 20)), write(outbox, events(SHARED, 20)));
        List<String> waiting = all(cold, hot);

        awaitOutage();
        awaitStatus(EventStatus.DONE, others);
        await().during(OUTAGE)
                .atMost(PATIENCE)
                .until(() -> outbox.status().unavailableTypes().equals(List.of(ROUTED)));
        assertUntouched(waiting);
        awaitUnlocked(waiting);
        assertThat(calls.get()).as("calls during the outage").isLessThan(waiting.size() / 2);
        assertThat(metrics.routes()).containsExactly(ROUTED + " up", LANED + " up", ROUTED + " down");

        Instant back = Instant.now();
        down = false;

        awaitStatus(EventStatus.DONE, waiting);
        assertThat(Duration.between(back, Instant.now())).isLessThan(BACK_SOON);
        awaitDeliveredOnce(all(waiting, others));
        assertThat(waiting).allSatisfy(id -> assertThat(stored(id).attempts()).isZero());
        assertThat(metrics.routes()).containsExactly(ROUTED + " up", LANED + " up", ROUTED + " down", ROUTED + " up");
        assertThat(metrics.failures()).isZero();
        assertThat(metrics.fenced()).isZero();
        assertThat(outbox.status().unavailableTypes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void eventsWrittenDuringTheOutageAreDeliveredOnceItIsOver(Mode mode) {
        registerTypes();
        Outbox outbox = open(withLanes(outbox(mode)));
        List<String> written = new ArrayList<>(write(outbox, events(ROUTED, 1)));
        awaitOutage();

        Instant end = Instant.now().plus(OUTAGE);
        while (Instant.now().isBefore(end)) {
            written.addAll(write(outbox, events(ROUTED, 1)));
            Waiting.pause(Duration.ofMillis(20));
        }
        assertUntouched(written);
        down = false;

        awaitDeliveredOnce(written);
    }

    @ParameterizedTest
    @EnumSource
    void aTargetThatComesAndGoesGetsEveryEventOnce(Mode mode) {
        registerTypes();
        Outbox outbox = open(outbox(mode).lane(ROUTED, lane().concurrency(3).build()));
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            down = i % 2 == 0;
            written.addAll(write(outbox, events(ROUTED, 5)));
            Waiting.pause(Duration.ofMillis(40));
        }
        down = false;

        awaitDeliveredOnce(written);
        assertThat(written).allSatisfy(id -> assertThat(stored(id).attempts()).isZero());
    }

    @Test
    void severalNodesFindTheTargetAgainEachForItself() {
        registerTypes();
        Outbox a = open(withLanes(node("a", LEASE)));
        Outbox b = open(withLanes(node("b", LEASE)));
        List<String> written = all(write(a, events(ROUTED, 15)), write(b, events(ROUTED, 15)));
        awaitThat(() -> assertThat(metrics.routes())
                .containsExactly(
                        ROUTED + " up",
                        LANED + " up",
                        ROUTED + " up",
                        LANED + " up",
                        ROUTED + " down",
                        ROUTED + " down"));
        awaitUnlocked(written);

        down = false;

        awaitDeliveredOnce(written);
        assertThat(metrics.fenced()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void inTheSharedLaneOnlyTheTypeConcernedWaitsUncountedAndUnwritten(Mode mode) {
        registerTypes();
        Outbox outbox = open(outbox(mode));
        List<String> waiting = write(outbox, events(ROUTED, 3));
        awaitOutage();
        List<String> others = write(outbox, events(SHARED, 30));

        awaitStatus(EventStatus.DONE, others);
        assertUntouched(waiting);
        assertThat(outbox.status().unavailableTypes()).containsExactly(ROUTED);
        down = false;

        awaitDeliveredOnce(all(waiting, others));
        assertThat(waiting).allSatisfy(id -> assertThat(stored(id).attempts()).isZero());
        assertThat(metrics.deferred()).isZero();
        assertThat(metrics.routes()).containsExactly(ROUTED + " down", ROUTED + " up");
        assertThat(outbox.status().unavailableTypes()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aPoisonEventIsDeadAloneWhileTheCircuitStaysClosed(Mode mode) {
        registry.register(ROUTED, deliveries.recording((event, attempt) -> {
            if (event.payloadJson().equals("poison")) {
                throw new UnrecoverableException("cannot be sent");
            }
            if (event.payloadJson().equals("flawed")) {
                throw new IllegalStateException("fails every time");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(outbox(mode).lane(ROUTED, lane().maxAttempts(2).build()));

        List<String> healthy = new ArrayList<>(write(outbox, events(ROUTED, 10)));
        List<String> poison =
                write(outbox, List.of(EventEnvelope.ofJson(ROUTED, "poison"), EventEnvelope.ofJson(ROUTED, "flawed")));
        healthy.addAll(write(outbox, events(ROUTED, 10)));

        awaitStatus(EventStatus.DEAD, poison);
        awaitDeliveredOnce(healthy);
        assertThat(metrics.routes()).containsExactly(ROUTED + " up");
        assertThat(outbox.status().unavailableTypes()).isEmpty();
        assertThat(outbox.status().dead()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void aProbeThatFailsForAReasonOfItsOwnDoesNotEndTheProbes(Mode mode) {
        AtomicInteger poisonCalls = new AtomicInteger();
        registry.register(ROUTED, deliveries.recording((event, attempt) -> {
            if (down) {
                throw new RouteUnavailableException("the broker is down");
            }
            if (event.payloadJson().equals("poison")) {
                poisonCalls.incrementAndGet();
                throw new UnrecoverableException("cannot be sent");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(outbox(mode).lane(ROUTED, lane().build()));
        List<String> poison = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            poison.addAll(write(outbox, List.of(EventEnvelope.ofJson(ROUTED, "poison"))));
        }
        List<String> healthy = write(outbox, events(ROUTED, 10));
        awaitOutage();
        awaitUnlocked(all(poison, healthy));

        down = false;

        awaitStatus(EventStatus.DEAD, poison);
        awaitDeliveredOnce(healthy);
        assertThat(poisonCalls).hasValue(3);
    }

    @ParameterizedTest
    @EnumSource
    void whatABatchDeliveredBeforeTheTargetWentAwayIsDone(Mode mode) {
        BatchEventListener partly = events -> {
            List<BatchOutcome> outcomes = new ArrayList<>();
            for (EventEnvelope event : events) {
                deliveries.enter(event);
                if (down && event.payloadJson().equals("late")) {
                    outcomes.add(BatchOutcome.failed(new RouteUnavailableException("gone")));
                } else {
                    deliveries.success(event);
                    outcomes.add(BatchOutcome.done());
                }
                deliveries.exit(event);
            }
            return outcomes;
        };
        registry.register(ROUTED, partly);
        List<String> early = store(events(ROUTED, 5));
        List<String> late = store(List.of(EventEnvelope.ofJson(ROUTED, "late"), EventEnvelope.ofJson(ROUTED, "late")));

        open(outbox(mode).lane(ROUTED, lane().build()));

        awaitOutage();
        awaitStatus(EventStatus.DONE, early);
        assertUntouched(late);
        down = false;

        awaitDeliveredOnce(all(early, late));
    }

    @ParameterizedTest
    @EnumSource
    void aProbeThatIsGivenBackByAPauseDoesNotEndTheProbes(Mode mode) {
        registerTypes();
        Outbox outbox = open(outbox(mode).lane(ROUTED, lane().maxPerSecond(1).build()));
        List<String> written = write(outbox, events(ROUTED, 2));
        awaitOutage();

        // the first probe is on its way by then, but the rate holds it back until a second has passed
        Waiting.pause(Duration.ofMillis(700));
        outbox.pause();
        Waiting.pause(Duration.ofMillis(500));
        down = false;
        outbox.resume();

        awaitDeliveredOnce(written);
    }

    @ParameterizedTest
    @EnumSource
    void pausesAgainAndAgainDuringAnOutageLoseAndRepeatNothing(Mode mode) {
        registerTypes();
        Outbox outbox = open(outbox(mode).lane(ROUTED, lane().concurrency(2).build()));
        List<String> written = write(outbox, events(ROUTED, 30));
        awaitOutage();

        for (int i = 0; i < 40; i++) {
            Waiting.pause(Duration.ofMillis(20));
            outbox.pause();
            outbox.resume();
        }
        down = false;

        awaitDeliveredOnce(written);
    }
}
