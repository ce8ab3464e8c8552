package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A target that is unavailable, in the lane that all event types share. */
@ExtendWith(NoLeftoverThreads.class)
class CircuitTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final AtomicBoolean down = new AtomicBoolean(true);
    private final AtomicInteger probes = new AtomicInteger();
    private final Node node = Node.on(backend).metrics(metrics);

    @AfterEach
    void close() {
        node.close();
    }

    /** Hangs when it is told of an unavailable target. */
    private static final class HangingMetrics extends ForwardingMetrics {

        private final Gate told = new Gate();

        private HangingMetrics() {
            super(NOOP);
        }

        @Override
        public void recordRouteUnavailable(String eventType, boolean unavailable) {
            if (unavailable) {
                told.pass();
            }
        }
    }

    @Test
    void anExporterThatHangsWhenItIsToldOfSilenceHoldsUpNoDelivery() throws InterruptedException {
        HangingMetrics hanging = new HangingMetrics();
        AtomicReference<Thread> watch = new AtomicReference<>();
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            watch.set(new Thread(() -> silence.accept(new RouteUnavailableException("nothing heard for a while"))));
            watch.get().start();
            hanging.told.awaitReached();
            return Collections.nCopies(events.size(), BatchOutcome.done());
        };
        node.metrics(hanging).listenDirectly(waiting).start();
        try {
            node.write(Events.event("e"));
            awaitDone(1);
        } finally {
            hanging.told.open();
            watch.get().join();
        }
    }

    private EventListener whileNotDown() {
        return event -> {
            if (down.get()) {
                probes.incrementAndGet();
                throw new RouteUnavailableException("the broker is down");
            }
            return DispatchResult.done();
        };
    }

    private void awaitProbes(int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> probes.get() >= count);
    }

    private void awaitDone(int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(EventStatus.DONE) == count);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOutageCostsAProbeNowAndThenAndOtherEventTypesNothing(boolean several) {
        if (several) {
            node.named("node", Duration.ofMinutes(5));
        }
        for (int i = 0; i < 300; i++) {
            backend.put(Events.event("down" + i, "Down"));
        }
        node.listen("Down", whileNotDown())
                .listen(event -> DispatchResult.done())
                .start();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !node.engine().unavailable().isEmpty() && backend.locked() == 0);
        awaitProbes(probes.get() + 1);
        long written = backend.rowsWritten();
        int probed = probes.get();

        for (int i = 0; i < 50; i++) {
            node.write(Events.event("up" + i));
        }
        awaitDone(50);
        node.write(Events.event("another", "Down"));
        awaitProbes(probed + 3);

        int most = 2 * (probes.get() - probed + 2);
        assertThat(backend.rowsWritten() - written - 50)
                .as("claims and releases of probes")
                .isLessThanOrEqualTo(several ? most : 0);
        assertThat(node.engine().unavailable())
                .extracting(UnavailableTarget::eventType, UnavailableTarget::cause)
                .containsExactly(tuple("Down", RouteUnavailableException.class.getName() + ": the broker is down"));
        assertThat(metrics.get("failure") + metrics.get("deferred")).isZero();

        down.set(false);
        awaitDone(351);
        assertThat(node.engine().unavailable()).isEmpty();
        assertThat(backend.row("down0").attempts()).isZero();
    }

    @Test
    void theCauseOfAnOutageIsToldOnceForEachThatIsNewAndItsEndWithHowLongItTook() {
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        failure.set(new RouteUnavailableException("no answer", new IOException("connection 17 refused")));
        try (LogLines log = new LogLines()) {
            node.listen("Down", event -> {
                        probes.incrementAndGet();
                        if (down.get()) {
                            throw failure.get();
                        }
                        return DispatchResult.done();
                    })
                    .start();
            Instant before = Instant.now().truncatedTo(ChronoUnit.MICROS);
            node.write(Events.event("down", "Down"));
            awaitProbes(1);
            failure.set(new RouteUnavailableException("no answer", new IOException("connection 18 refused")));
            awaitProbes(3);
            failure.set(new RouteUnavailableException("not\nauthorised " + "x".repeat(1000)));
            awaitProbes(5);

            UnavailableTarget target = node.engine().unavailable().get(0);
            assertThat(target.eventType()).isEqualTo("Down");
            assertThat(target.since()).isBetween(before, Instant.now());
            assertThat(target.cause())
                    .startsWith(RouteUnavailableException.class.getName() + ": not authorised xxx")
                    .hasSize(500);
            down.set(false);
            awaitDone(1);
            await().until(() -> node.engine().unavailable().isEmpty());

            assertThat(log.at(Level.WARNING, "The target of Down is"))
                    .hasSize(2)
                    .first()
                    .asString()
                    .contains("no answer, caused by java.io.IOException: connection 17 refused");
            assertThat(log.at(Level.WARNING, "for another reason now")).hasSize(1);
            await().untilAsserted(() -> assertThat(log.at(Level.INFO, "The target of Down is back after "))
                    .hasSize(1));
        }
    }

    /** Whoever reads the log in an outage is to find its cause, and nothing louder. */
    @Test
    void whatTheLogWarnsOfInAnOutageIsTheOutage() {
        try (LogLines log = new LogLines()) {
            node.listen("Down", whileNotDown()).start();
            node.write(Events.event("first", "Down"));
            awaitProbes(1);
            await().until(() -> !node.engine().unavailable().isEmpty());

            for (int i = 0; i < 500; i++) {
                node.write(Events.event("down" + i, "Down"));
            }
            awaitProbes(3);

            assertThat(metrics.get("hotDropped")).as("left to the poller").isGreaterThan(400);
            assertThat(log.at(Level.WARNING, ""))
                    .singleElement()
                    .asString()
                    .startsWith("The target of Down is unavailable")
                    .contains("the broker is down");
        }
        down.set(false);
        awaitDone(501);
    }

    @Test
    void aTargetThatDoesNotAnswerIsShownWhileItsListenerWaitsAndKeepsItsEvents() {
        Gate answer = new Gate();
        AtomicInteger calls = new AtomicInteger();
        AtomicReference<Consumer<RouteUnavailableException>> lastSilence = new AtomicReference<>();
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            calls.incrementAndGet();
            lastSilence.set(silence);
            if (down.get()) {
                silence.accept(new RouteUnavailableException("nothing heard for a while"));
                answer.pass();
            }
            return Collections.nCopies(events.size(), BatchOutcome.done());
        };
        try (LogLines log = new LogLines()) {
            node.delivery(settings -> settings.workerCount(1))
                    .listenDirectly(waiting)
                    .start();
            node.write(Events.event("first"));
            answer.awaitReached();
            node.write(Events.event("second"));

            assertThat(node.engine().unavailable())
                    .singleElement()
                    .satisfies(target -> assertThat(target.cause()).contains("nothing heard for a while"));
            assertThat(log.at(Level.WARNING, "The target of Tested is unavailable"))
                    .hasSize(1);
            assertThat(backend.rowsWritten())
                    .as("nothing was given back or put off")
                    .isZero();
            assertThat(node.engine().hotQueueDepth()).isZero();

            down.set(false);
            answer.open();
            awaitDone(2);
            await().until(() -> node.engine().unavailable().isEmpty());
            assertThat(calls).as("each event was handed over once").hasValue(2);

            lastSilence.get().accept(new RouteUnavailableException("too late"));
            assertThat(node.engine().unavailable()).isEmpty();
        }
    }

    @Test
    void aTargetThatDoesNotAnswerBindsOneWorkerAndNoOther() {
        Gate answer = new Gate();
        AtomicInteger calls = new AtomicInteger();
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            if (calls.incrementAndGet() == 1) {
                silence.accept(new RouteUnavailableException("nothing heard for a while"));
                answer.pass();
            }
            return Collections.nCopies(events.size(), BatchOutcome.done());
        };
        node.listenDirectly(waiting)
                .listen("Other", event -> DispatchResult.done())
                .start();
        node.write(Events.event("first"));
        answer.awaitReached();
        for (int i = 0; i < 10; i++) {
            node.write(Events.event("behind" + i));
        }

        await().during(Duration.ofMillis(1500)).atMost(Duration.ofSeconds(20)).until(() -> calls.get() == 1);
        node.write(Events.event("other", "Other"));
        awaitDone(1);

        answer.open();
        awaitDone(12);
        assertThat(node.engine().unavailable()).isEmpty();
    }

    @Test
    void aListenerThatWaitedInVainGivesItsEventsBackUncounted() {
        AtomicInteger calls = new AtomicInteger();
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            if (calls.incrementAndGet() > 1) {
                return Collections.nCopies(events.size(), BatchOutcome.done());
            }
            silence.accept(new RouteUnavailableException("nothing heard for a while"));
            return Collections.nCopies(
                    events.size(), BatchOutcome.failed(new RouteUnavailableException("nothing heard at all")));
        };
        node.listenDirectly(waiting).start();
        node.write(Events.event("e"));

        awaitDone(1);

        assertThat(backend.row("e").attempts()).isZero();
        assertThat(metrics.get("failure") + metrics.get("deferred")).isZero();
    }

    @Test
    void aFailureOfAnotherKindShowsThatTheTargetIsBack() {
        AtomicReference<RuntimeException> failure = new AtomicReference<>(new RouteUnavailableException("refused"));
        node.listen("Down", event -> {
                    throw failure.get();
                })
                .start();
        node.write(Events.event("e", "Down"));
        await().until(() -> !node.engine().unavailable().isEmpty());

        failure.set(new RecoverableException("there is no such exchange"));

        await().atMost(Duration.ofSeconds(20)).until(() -> backend.row("e").attempts() == 1);
        await().until(() -> node.engine().unavailable().isEmpty());
    }

    @Test
    void whatFailsAheadOfTheTargetSaysNothingAboutIt() {
        AtomicReference<RuntimeException> failure = new AtomicReference<>(new RouteUnavailableException("refused"));
        node.listen("Down", event -> {
                    throw failure.get();
                })
                .start();
        node.write(Events.event("e", "Down"));
        await().until(() -> !node.engine().unavailable().isEmpty());

        failure.set(new UnrecoverableException("no route"));

        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DEAD) == 1);
        assertThat(node.engine().unavailable()).hasSize(1);
    }

    @Test
    void aTargetThatWantsToBeLeftAloneIsAskedOnlyAfterThatTime() {
        node.listen("Down", event -> {
                    if (probes.incrementAndGet() == 1) {
                        throw new RouteUnavailableException("a queue is full", null, Duration.ofSeconds(2));
                    }
                    return DispatchResult.done();
                })
                .start();
        long start = System.nanoTime();
        node.write(Events.event("e", "Down"));

        awaitDone(1);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
        assertThat(probes).hasValue(2);
    }

    @Test
    void aProbeThatFoundNoRoomGoesOnceThereIsSome() {
        Gate busy = new Gate();
        node.delivery(settings -> settings.workerCount(1))
                .delivery(settings -> settings.coldQueueCapacity(1))
                .listen("Down", whileNotDown())
                .listen(event -> {
                    busy.pass();
                    return DispatchResult.done();
                })
                .start();
        node.write(Events.event("down", "Down"));
        awaitProbes(1);
        node.write(Events.event("e0"));
        busy.awaitReached();
        backend.put(Events.event("e1"));
        node.loop().wakeUp();
        await().atMost(Duration.ofSeconds(10)).until(() -> node.engine().coldQueueDepth() == 1);
        await().pollDelay(Duration.ofMillis(700)).until(() -> true);

        down.set(false);
        busy.open();

        awaitDone(3);
    }

    @Test
    void inStrictOrderNothingPassesTheEventWhoseTargetIsUnavailable() {
        List<String> succeeded = new ArrayList<>();
        AtomicInteger calls = new AtomicInteger();
        node.delivery(settings -> settings.workerCount(1))
                .delivery(DeliverySettings::strictOrder)
                .polling(settings -> settings.intervalMs(1))
                .polling(settings -> settings.batchSize(7))
                .listen(event -> {
                    if (calls.incrementAndGet() % 40 == 5) {
                        throw new RouteUnavailableException("down for a moment");
                    }
                    succeeded.add(event.eventId());
                    return DispatchResult.done();
                });
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            written.add(String.format("e%03d", i));
            backend.put(Events.event(written.get(i)));
        }

        node.start();

        awaitDone(100);
        assertThat(succeeded).containsExactlyElementsOf(written);
        assertThat(calls.get()).isGreaterThan(101);
        assertThat(backend.rowsWritten()).isEqualTo(100);
    }
}
