package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.registry.ListenerRegistry;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A registry is the application's, and may be slow: it is asked once for each delivery. */
@ExtendWith(NoLeftoverThreads.class)
class ListenerLookupTest {

    private static final int EVENTS = 20;

    private final ScriptedBackend store = new ScriptedBackend().withoutTransactions();
    private final AtomicInteger lookups = new AtomicInteger();
    private EventListener listener = event -> DispatchResult.done();

    private final ListenerRegistry registry = new ListenerRegistry() {
        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            lookups.incrementAndGet();
            return listener;
        }
    };

    private List<Outbox.AbstractBuilder<?>> builders() {
        return List.of(
                Outbox.singleNode().backend(store).maxAttempts(1),
                Outbox.multiNode().backend(store).maxAttempts(1).claimLocking(Duration.ofMinutes(1)),
                Outbox.ordered().backend(store));
    }

    private void deliver(Outbox.AbstractBuilder<?> builder, String prefix) {
        for (int i = 0; i < EVENTS; i++) {
            store.put(Events.event(prefix + i));
        }
        lookups.set(0);
        try (Outbox outbox = builder.listenerRegistry(registry).startManually().build()) {
            assertThat(outbox.deliverDue()).isEqualTo(EVENTS);
        }
    }

    @Test
    void oneForEachDelivery() {
        for (Outbox.AbstractBuilder<?> builder : builders()) {
            deliver(builder, "e" + builder.hashCode() + "-");
            assertThat(lookups).as(builder.toString()).hasValue(EVENTS);
        }
    }

    @Test
    void oneForEachDeliveryThatFails() {
        listener = event -> {
            throw new IllegalStateException("not today");
        };
        for (Outbox.AbstractBuilder<?> builder : builders()) {
            deliver(builder, "e" + builder.hashCode() + "-");
            assertThat(lookups).as(builder.toString()).hasValue(EVENTS);
        }
        assertThat(store.count(EventStatus.DEAD)).isEqualTo(3 * EVENTS);
    }

    @Test
    void oneForEachBatch() {
        List<Integer> sizes = new ArrayList<>();
        BatchEventListener batching = events -> {
            sizes.add(events.size());
            return events.stream()
                    .map(event -> BatchOutcome.of(DispatchResult.done()))
                    .toList();
        };
        listener = batching;
        for (Outbox.AbstractBuilder<?> builder : builders()) {
            sizes.clear();
            deliver(builder, "e" + builder.hashCode() + "-");
            assertThat(lookups).as("%s %s", builder, sizes).hasValue(sizes.size());
            assertThat(sizes.size()).isLessThan(EVENTS);
        }
    }
}
