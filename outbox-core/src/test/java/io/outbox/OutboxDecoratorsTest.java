package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the builders wrap: the application's listeners and metrics. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxDecoratorsTest {

    private static final String GLOBAL = AggregateType.GLOBAL.name();

    private final ScriptedBackend store = new ScriptedBackend().withoutTransactions();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<String> calls = new ArrayList<>();

    private List<Outbox.AbstractBuilder<?>> delivering() {
        return List.of(
                Outbox.singleNode().backend(store),
                Outbox.multiNode().backend(store).claimLocking(Duration.ofMinutes(1)),
                Outbox.ordered().backend(store));
    }

    private EventListener noting(String call) {
        return event -> {
            calls.add(call);
            return DispatchResult.done();
        };
    }

    private UnaryOperator<ListenerRegistry> calling(String name) {
        return inner -> (aggregateType, eventType) -> {
            EventListener listener = inner.listenerFor(aggregateType, eventType);
            return listener == null
                    ? null
                    : EventListener.informed((event, info) -> {
                        calls.add(name + " " + event.eventType());
                        return EventListener.Informed.call(listener, event, info);
                    });
        };
    }

    @Test
    void decoratorsOfListenersAreAppliedInOrderEachAroundTheOneBefore() {
        registry.register("A", noting("listener"));
        for (Outbox.AbstractBuilder<?> builder : delivering()) {
            calls.clear();
            builder.decorateListeners(calling("inner"))
                    .listenerRegistry(registry)
                    .decorateListeners(calling("outer"))
                    .startManually();

            try (Outbox outbox = builder.build()) {
                outbox.writer().write("A", "{}");
                outbox.deliverDue();
            }

            assertThat(calls).containsExactly("outer A", "inner A", "listener");
        }
    }

    @Test
    void decoratorsSeeTheListenersOfSubscriptionsAndTheEventsThatTheyGet() {
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(store)
                .listenerRegistry(registry)
                .subscribe("mail", "A", noting("mail"))
                .decorateListeners(calling("decorator"))
                .startManually();

        try (Outbox outbox = builder.build()) {
            outbox.writer().write("A", "{}");
            outbox.deliverDue();
        }

        assertThat(calls).containsExactly("decorator A", "mail");
    }

    @Test
    void aListenerOfADecoratorCountsWhenAnEventIsWritten() {
        EventListener added = noting("added");
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(store)
                .listenerRegistry(registry)
                .subscribe("mail", "A", noting("mail"))
                .decorateListeners(inner -> (aggregateType, eventType) ->
                        eventType.equals("A") ? added : inner.listenerFor(aggregateType, eventType))
                .startManually();

        try (Outbox outbox = builder.build()) {
            outbox.writer().write("A", "{}");
            outbox.deliverDue();
        }

        assertThat(calls).containsExactlyInAnyOrder("added", "mail");
    }

    @Test
    void withoutARegistryThereIsNothingToDecorate() {
        try (Outbox outbox = Outbox.writerOnly()
                .backend(store)
                .decorateListeners(inner -> {
                    throw new AssertionError("there is no registry");
                })
                .build()) {
            outbox.writer().write("A", "{}");
        }
    }

    @Test
    void decoratorsOfMetricsAreAppliedInOrderEachAroundTheOneBefore() {
        registry.register("A", event -> DispatchResult.done());
        MetricsExporter own = new NamedMetrics("own", MetricsExporter.NOOP);
        for (Outbox.AbstractBuilder<?> builder : delivering()) {
            calls.clear();
            builder.listenerRegistry(registry)
                    .decorateMetrics(inner -> new NamedMetrics("inner", inner))
                    .metrics(own)
                    .decorateMetrics(inner -> new NamedMetrics("outer", inner))
                    .startManually();

            try (Outbox outbox = builder.build()) {
                outbox.writer().write("A", "{}");
                outbox.deliverDue();
            }

            assertThat(calls).containsExactly("outer DONE", "inner DONE", "own DONE");
        }
    }

    @Test
    void aDecoratorThatThrowsHarmsNoDelivery() {
        registry.register("A", noting("delivered"));
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(store)
                .listenerRegistry(registry)
                .decorateMetrics(inner -> new NamedMetrics("failing", inner) {
                    @Override
                    public void recordOutcome(String eventType, EventStatus status) {
                        throw new IllegalStateException("no metrics today");
                    }

                    @Override
                    public void incrementHotEnqueued() {
                        throw new AssertionError("none at all");
                    }
                })
                .startManually();

        try (Outbox outbox = builder.build()) {
            String eventId = outbox.writer().write("A", "{}");
            outbox.deliverDue();
            assertThat(store.status(eventId)).isEqualTo(EventStatus.DONE);
        }
        assertThat(calls).containsExactly("delivered");
    }

    @Test
    void aDecoratorReturnsSomething() {
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.singleNode()
                        .backend(store)
                        .listenerRegistry(registry)
                        .decorateListeners(inner -> null)
                        .build())
                .withMessageContaining("listener registry");
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.writerOnly()
                        .backend(store)
                        .decorateMetrics(inner -> null)
                        .build())
                .withMessageContaining("metrics exporter");
    }

    @Test
    void aDecoratorIsAskedOnceForEachOutbox() {
        for (Outbox.AbstractBuilder<?> builder : delivering()) {
            calls.clear();
            builder.listenerRegistry(registry)
                    .decorateListeners(inner -> {
                        calls.add("listeners " + inner.listenerFor(GLOBAL, "A"));
                        return inner;
                    })
                    .decorateMetrics(inner -> {
                        calls.add("metrics");
                        return inner;
                    })
                    .startManually()
                    .build()
                    .close();
            assertThat(calls).containsExactlyInAnyOrder("listeners null", "metrics");
        }
    }

    private class NamedMetrics implements MetricsExporter {

        private final String name;
        private final MetricsExporter inner;

        NamedMetrics(String name, MetricsExporter inner) {
            this.name = name;
            this.inner = inner;
        }

        @Override
        public void recordOutcome(String eventType, EventStatus status) {
            calls.add(name + " " + status);
            inner.recordOutcome(eventType, status);
        }

        @Override
        public void incrementHotEnqueued() {}

        @Override
        public void incrementHotDropped() {}

        @Override
        public void incrementColdEnqueued() {}

        @Override
        public void incrementDispatchSuccess() {}

        @Override
        public void incrementDispatchFailure() {}

        @Override
        public void incrementDispatchDead() {}

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {}

        @Override
        public void recordOldestLagMs(long lagMs) {}
    }
}
