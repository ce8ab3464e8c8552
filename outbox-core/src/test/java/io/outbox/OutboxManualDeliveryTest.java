package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxBackendException;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Delivery on the caller's thread, while the store is well and while it is not. */
@Timeout(60)
@ExtendWith(NoLeftoverThreads.class)
class OutboxManualDeliveryTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private Outbox outbox;

    @AfterEach
    void close() {
        backend.up();
        outbox.close();
    }

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.backend(backend)
                .listenerRegistry(registry)
                .metrics(metrics)
                .drainTimeoutMs(0)
                .startManually();
    }

    private void listen(String eventType, EventListener listener) {
        registry.register(eventType, event -> {
            delivered.add(event.eventId());
            return listener.onEvent(event);
        });
    }

    private void put(int count, String eventType) {
        for (int i = 0; i < count; i++) {
            backend.put(Events.event(eventType + i, eventType));
        }
    }

    @Test
    void anOutageOfTheStoreEndsItWithAnExceptionAndLosesNothing() {
        listen(Events.TYPE, event -> DispatchResult.done());
        put(5, Events.TYPE);
        outbox = on(Outbox.singleNode()).build();
        backend.down(Op.APPLY);

        assertThatExceptionOfType(OutboxBackendException.class)
                .isThrownBy(outbox::deliverDue)
                .withMessageContaining("kept");
        int delivering = delivered.size();
        assertThatExceptionOfType(OutboxBackendException.class).isThrownBy(outbox::deliverDue);
        assertThat(delivered).as("no more until the store knows of those").hasSize(delivering);
        backend.up();
        outbox.deliverDue();

        assertThat(backend.count(EventStatus.DONE)).isEqualTo(5);
        assertThat(delivered).hasSize(5).doesNotHaveDuplicates();
        assertThat(metrics.get("success")).isEqualTo(5);
    }

    @Test
    void aStoreThatCannotBeReadEndsItWithAnException() {
        listen(Events.TYPE, event -> DispatchResult.done());
        put(2, Events.TYPE);
        outbox = on(Outbox.singleNode()).build();
        backend.down(Op.FETCH);

        assertThatIllegalStateException().isThrownBy(outbox::deliverDue).withMessageContaining("cannot be reached");

        backend.up();
        assertThat(outbox.deliverDue()).isEqualTo(2);
    }

    @Test
    void manyLanesInAnOutageDoNotFillWhatKeepsTheirOutcomes() {
        Outbox.SingleNodeBuilder builder = on(Outbox.singleNode());
        BatchEventListener batch =
                events -> events.stream().map(event -> BatchOutcome.done()).toList();
        for (int lane = 0; lane < 30; lane++) {
            registry.register("Lane" + lane, batch);
            builder.lane("Lane" + lane, LanePolicy.builder().build());
        }
        outbox = builder.build();
        backend.begin();
        for (int lane = 0; lane < 30; lane++) {
            for (int i = 0; i < 100; i++) {
                outbox.writer().write(Events.event(lane + "-" + i, "Lane" + lane));
            }
        }
        backend.commit();
        backend.down(Op.APPLY);

        assertThatExceptionOfType(OutboxBackendException.class).isThrownBy(outbox::deliverDue);

        backend.up();
        outbox.deliverDue();
        assertThat(backend.count(EventStatus.DONE)).isEqualTo(3000);
    }

    @Test
    void locksThatCannotBeRenewedKeepItFromDeliveringAndNotFromReturning() {
        Duration lease = Duration.ofMillis(300);
        listen(Events.TYPE, event -> DispatchResult.done());
        outbox = on(Outbox.multiNode()).claimLocking("node", lease).build();
        backend.begin();
        outbox.writer().write(Events.event("e"));
        backend.commit();
        backend.down(Op.RENEW, Op.CLAIM, Op.RELEASE);
        long start = System.nanoTime();
        await().until(() -> System.nanoTime() - start > lease.toNanos());

        assertThatThrownBy(outbox::deliverDue).isInstanceOf(RuntimeException.class);
        assertThat(delivered).isEmpty();

        backend.up();
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            outbox.deliverDue();
            return backend.status("e") == EventStatus.DONE;
        });
        assertThat(delivered).containsExactly("e");
    }

    @Test
    void theOutboxTellsItsStateAndClosesWhileADeliveryWaitsForTheStore() throws Exception {
        Gate store = new Gate();
        listen(Events.TYPE, event -> DispatchResult.done());
        put(1, Events.TYPE);
        outbox = on(Outbox.singleNode()).build();
        backend.before(Op.APPLY, call -> store.pass());
        CompletableFuture<Integer> delivery = CompletableFuture.supplyAsync(outbox::deliverDue);
        store.awaitReached();

        assertThat(outbox.status().state()).isEqualTo(State.NOT_STARTED);
        outbox.close();
        assertThat(outbox.state()).isEqualTo(State.CLOSED);

        assertThat(delivery).isNotDone();
        store.open();
        assertThat(delivery.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(backend.status(Events.TYPE + 0)).isEqualTo(EventStatus.DONE);
    }

    @Test
    void anEventThatWantsToComeAgainAtOnceIsLeftToTheNextCall() {
        listen(Events.TYPE, event -> DispatchResult.retryAfter(Duration.ZERO));
        put(3, Events.TYPE);
        outbox = on(Outbox.singleNode()).build();

        assertThat(outbox.deliverDue()).isEqualTo(3);

        assertThat(delivered).hasSize(3);
    }

    @Test
    void anEventThatFailsWithoutADelayIsTriedUntilItIsDead() {
        listen(Events.TYPE, event -> {
            throw new IllegalStateException("always");
        });
        put(1, Events.TYPE);
        outbox = on(Outbox.singleNode())
                .maxAttempts(4)
                .retryPolicy(attempts -> 0)
                .build();

        await().atMost(Duration.ofSeconds(10)).until(() -> {
            outbox.deliverDue();
            return backend.count(EventStatus.DEAD) == 1;
        });

        assertThat(delivered).hasSize(4);
    }

    @Test
    void anEventIsDueWhenItsListenerSaysHoweverLongOthersTookBefore() {
        Duration wait = Duration.ofMillis(300);
        listen("Slow", event -> {
            long start = System.nanoTime();
            await().until(() -> System.nanoTime() - start > wait.toNanos() * 2);
            return DispatchResult.done();
        });
        listen("Later", event -> DispatchResult.retryAfter(wait));
        put(1, "Slow");
        put(1, "Later");
        outbox = on(Outbox.multiNode())
                .claimLocking("node", Duration.ofMinutes(1))
                .lane("Slow", LanePolicy.builder().build())
                .lane("Later", LanePolicy.builder().build())
                .build();
        Instant start = Instant.now();

        assertThat(outbox.deliverDue()).isEqualTo(2);

        assertThat(backend.row("Later0").availableAt()).isAfter(start.plus(wait.multipliedBy(3)));
        assertThat(outbox.deliverDue()).as("not due yet").isZero();
    }
}
