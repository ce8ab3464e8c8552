package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventView;
import io.outbox.Outbox;
import io.outbox.model.InspectedEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Waiting for the end of events: what it costs the store, and what is known where nothing is kept. */
class AwaitTest {

    private final InMemoryOutboxBackend store = InMemoryOutboxBackend.withoutTransactions(Clock.systemUTC());

    /** Counts how often events are looked up. */
    private static final class Counting extends ForwardingBackend {

        private final OutboxBackend store;
        private final AtomicInteger looks = new AtomicInteger();

        Counting(OutboxBackend store) {
            super(store, store, store);
            this.store = store;
        }

        @Override
        public List<InspectedEvent> lookUp(Collection<String> eventIds) {
            looks.incrementAndGet();
            return store.lookUp(eventIds);
        }
    }

    @Test
    void manyWhoWaitLookTogetherAndLessAndLessOften() throws Exception {
        Counting counting = new Counting(store);
        try (Outbox outbox = Outbox.singleNode()
                .backend(counting)
                .listenerRegistry(new DefaultListenerRegistry())
                .startManually()
                .build()) {
            List<Callable<Void>> waiters = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String id = outbox.writer().write(EventEnvelope.ofJson("T", "{}"));
                waiters.add(() -> {
                    assertThatThrownBy(() -> outbox.await(id, Duration.ofSeconds(1)))
                            .isInstanceOf(TimeoutException.class)
                            .hasMessageContaining("has not ended within");
                    return null;
                });
            }

            long begin = System.nanoTime();
            Parallel.run(waiters);
            long tookMs = Duration.ofNanos(System.nanoTime() - begin).toMillis();

            // each looks once more when its time is up
            assertThat(counting.looks.get()).isBetween(1, (int) (tookMs / 50) + 2 + waiters.size());
        }
    }

    @Test
    void anEventThatIsNotKeptIsKnownToBeDone() throws Exception {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("T", event -> DispatchResult.done());
        Counting counting = new Counting(store);
        try (Outbox outbox = Outbox.singleNode()
                .backend(counting)
                .listenerRegistry(listeners)
                .purgeRetention(Duration.ZERO)
                .startManually()
                .build()) {
            String id = outbox.writer().write(EventEnvelope.ofJson("T", "{}"));
            List<Callable<EventView>> waiters = List.of(() -> outbox.await(id, Duration.ofSeconds(30)), () -> {
                Waiting.until(Duration.ofSeconds(30), () -> "nobody has looked", () -> counting.looks.get() > 0);
                outbox.start();
                return null;
            });

            EventView view = Parallel.run(waiters).get(0);

            assertThat(view.state()).isEqualTo(EventView.State.DONE);
            assertThat(outbox.find(id)).isEmpty();
        }
    }
}
