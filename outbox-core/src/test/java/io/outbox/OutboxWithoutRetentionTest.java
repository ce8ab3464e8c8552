package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Capability;
import io.outbox.spi.Outcome;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a retention of zero means: events are deleted when they are done, and dead ones stay. */
@Timeout(60)
@ExtendWith(NoLeftoverThreads.class)
class OutboxWithoutRetentionTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register(Events.TYPE, event -> {
        delivered.add(event.eventId());
        return DispatchResult.done();
    });
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

    @Test
    void deliveredEventsAreGoneAndCounted() {
        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ZERO).build();
        backend.put(Events.event("1"), Events.event("2"));

        assertThat(outbox.deliverDue()).isEqualTo(2);

        assertThat(backend.rows()).isEmpty();
        assertThat(metrics.get("success")).isEqualTo(2);
        assertThat(outbox.counts()).isEmpty();
    }

    @Test
    void severalNodesAndOrderedDeliveryKeepNothingEither() {
        outbox = on(Outbox.multiNode())
                .claimLocking(Duration.ofMinutes(1))
                .purgeRetention(Duration.ZERO)
                .build();
        backend.put(Events.event("1"));
        outbox.deliverDue();
        outbox.close();
        assertThat(backend.rows()).isEmpty();

        outbox = on(Outbox.ordered()).purgeRetention(Duration.ZERO).build();
        backend.put(Events.event("2"));
        outbox.deliverDue();

        assertThat(backend.rows()).isEmpty();
        assertThat(delivered).containsExactly("1", "2");
    }

    @Test
    void anyOtherRetentionKeepsThem() {
        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ofNanos(1)).build();
        backend.put(Events.event("1"));

        outbox.deliverDue();

        assertThat(backend.status("1")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void theLastWordCounts() {
        outbox = on(Outbox.singleNode())
                .purgeRetention(Duration.ZERO)
                .purgeRetention(Duration.ofDays(1))
                .build();
        backend.put(Events.event("1"));

        outbox.deliverDue();

        assertThat(backend.status("1")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void anEventWhoseDeletionWasNotAnsweredIsCountedOnce() {
        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ZERO).build();
        backend.put(Events.event("1"));
        backend.after(Op.APPLY, call -> {
            throw ScriptedBackend.unreachable();
        });
        assertThatThrownBy(outbox::deliverDue).isInstanceOf(RuntimeException.class);
        assertThat(backend.rows()).isEmpty();
        assertThat(metrics.get("success")).isZero();

        backend.up();
        outbox.deliverDue();

        assertThat(metrics.get("success")).isOne();
        assertThat(metrics.get("fenced")).isZero();
        assertThat(delivered).containsExactly("1");
    }

    @Test
    void deadEventsStayAndSoDoOnesThatAreRetried() {
        registry.register("Failing", event -> {
            throw new IllegalStateException("on purpose");
        });
        registry.register("Hopeless", event -> DispatchResult.dead("never"));
        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ZERO).build();
        backend.put(Events.event("1", "Failing"), Events.event("2", "Hopeless"));

        outbox.deliverDue();

        assertThat(backend.status("1")).isEqualTo(EventStatus.RETRY);
        assertThat(backend.status("2")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void purgesLookForWhatWasDoneBeforeAndLeaveWhatIsDead() {
        backend.put(Events.event("done"), Events.event("dead"));
        backend.apply(null, List.of(new Outcome.Done("done", Events.event("x").occurredAt())));
        backend.apply(null, List.of(new Outcome.Dead("dead", "never")));

        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ZERO).build();
        outbox.start();

        await().until(() -> backend.row("done") == null);
        assertThat(backend.status("dead")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void aStoreThatCannotDeleteKeepsEventsUntilTheNextPurge() {
        backend.without(Capability.DELETE_DONE);
        outbox = on(Outbox.singleNode()).purgeRetention(Duration.ZERO).build();
        backend.put(Events.event("1"));

        outbox.deliverDue();
        assertThat(backend.status("1")).isEqualTo(EventStatus.DONE);
        outbox.start();

        await().until(() -> backend.rows().isEmpty());
    }
}
