package io.outbox.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.Events;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import io.outbox.support.ThrowingMetrics;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an exporter throws, and wherever, everything goes on as if nobody measured. */
@ExtendWith(NoLeftoverThreads.class)
class ThrowingExporterTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    static Stream<Supplier<Throwable>> failures() {
        return Stream.of(
                () -> new IllegalStateException("of the exporter"),
                () -> new NoClassDefFoundError("of the exporter"),
                () -> new Throwable("of the exporter"));
    }

    private void awaitStatus(EventStatus status, int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(status) == count);
    }

    @ParameterizedTest
    @MethodSource("failures")
    void hotPathColdPathPollerAndCompletionGoOn(Supplier<Throwable> failure) {
        ThrowingMetrics metrics = new ThrowingMetrics(failure);
        AtomicInteger unavailable = new AtomicInteger(1);
        DefaultListenerRegistry registry = new DefaultListenerRegistry()
                .register(Events.TYPE, event -> {
                    delivered.add(event.eventId());
                    return DispatchResult.done();
                })
                .register("Failing", event -> {
                    throw new IllegalStateException("of the listener");
                })
                .register("Waiting", event -> {
                    if (unavailable.getAndDecrement() > 0) {
                        throw new RouteUnavailableException("down");
                    }
                    return DispatchResult.done();
                });
        for (int i = 0; i < 100; i++) {
            backend.put(Events.event("cold" + i));
        }
        backend.put(Events.event("taken over"), "dead node");
        backend.age("taken over", Duration.ofHours(1));
        backend.putUndecodable("bad", Events.TYPE);

        try (Outbox outbox = Outbox.multiNode()
                .backend(backend)
                .listenerRegistry(registry)
                .metrics(metrics.exporter())
                .claimLocking("node", Duration.ofMinutes(1))
                .hotQueueCapacity(2)
                .coldQueueCapacity(20)
                .maxAttempts(2)
                .retryPolicy(attempts -> 1)
                .intervalMs(10)
                .build()) {
            backend.begin();
            for (int i = 0; i < 50; i++) {
                outbox.writer().write(Events.event("hot" + i));
            }
            outbox.writer().write(Events.event("failing", "Failing"));
            outbox.writer().write(Events.event("waiting", "Waiting"));
            outbox.writer()
                    .write(EventEnvelope.builder(Events.TYPE)
                            .eventId("delayed")
                            .payloadJson("{}")
                            .deliverAfter(Duration.ofMillis(1))
                            .build());
            backend.commit();

            awaitStatus(EventStatus.DONE, 153);
            awaitStatus(EventStatus.DEAD, 2);
        }

        assertThat(delivered).hasSize(152).doesNotHaveDuplicates();
        assertThat(backend.locked()).isZero();
        assertThat(metrics.called())
                .contains(
                        "incrementHotEnqueued",
                        "incrementHotDropped",
                        "incrementHotSkippedDelayed",
                        "incrementColdEnqueued",
                        "incrementDispatchSuccess",
                        "incrementDispatchFailure",
                        "incrementDispatchDead",
                        "recordQueueDepths",
                        "recordOldestLagMs",
                        "recordOldestLagByTypeMs",
                        "recordDispatchLatency",
                        "recordListenerDuration",
                        "recordCompletionBatchSize",
                        "recordRouteUnavailable",
                        "recordOutcome",
                        "incrementRecovered");
    }

    @Test
    void thePurgeComesAgain() {
        ThrowingMetrics metrics = new ThrowingMetrics(() -> new IllegalStateException("of the exporter"));
        backend.putUndecodable("bad", Events.TYPE);

        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry())
                .metrics(metrics.exporter())
                .purgeRetention(Duration.ofMillis(1))
                .purgeInitialDelay(Duration.ofMillis(1))
                .purgeIntervalSeconds(1)
                .build()) {
            assertThat(outbox).isNotNull();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> metrics.called().contains("incrementPurged") && backend.calls(Op.PURGE) >= 3);
        }
    }

    @Test
    void aPollerWithAHandlerOfItsOwnGoesOn() {
        ThrowingMetrics metrics = new ThrowingMetrics(() -> new StackOverflowError("of the exporter"));
        for (int i = 0; i < 60; i++) {
            backend.put(Events.event("e" + i));
        }

        try (OutboxPoller poller = OutboxPoller.builder()
                .backend(backend)
                .handler((event, attempts) -> delivered.add(event.eventId()))
                .metrics(metrics.exporter())
                .claimLocking("node", Duration.ofMinutes(1))
                .batchSize(10)
                .build()) {
            poller.start();
            await().atMost(Duration.ofSeconds(20)).until(() -> delivered.size() == 60);
        }

        assertThat(delivered).doesNotHaveDuplicates();
        assertThat(metrics.called()).contains("incrementColdEnqueued");
    }

    @Test
    void theFirstFailureIsAWarningAndTheOthersAreNot() {
        EngineMetrics metrics =
                new EngineMetrics(new ThrowingMetrics(() -> new IllegalStateException("of the exporter")).exporter());
        try (LogLines log = new LogLines()) {
            for (int i = 0; i < 10; i++) {
                metrics.incrementDispatchSuccess();
            }

            assertThat(log.at(Level.WARNING, "metrics exporter failed")).hasSize(1);
        }
    }
}
