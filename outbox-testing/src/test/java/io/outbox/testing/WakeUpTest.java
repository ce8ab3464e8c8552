package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Outcome;
import io.outbox.spi.WakeUp;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hints between outboxes on one store, whose pollers would otherwise sleep through the test. */
class WakeUpTest {

    private static final long NEVER_MS = 3_600_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final InMemoryOutboxBackend backend = InMemoryOutboxBackend.withoutTransactions(Clock.systemUTC());
    private final LocalWakeUp wakeUp = new LocalWakeUp();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final List<Outbox> outboxes = new ArrayList<>();

    /** Hints within this process. */
    private static final class LocalWakeUp implements WakeUp {

        final List<Set<String>> signals = new CopyOnWriteArrayList<>();
        final List<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();

        @Override
        public void signal(Set<String> eventTypes) {
            signals.add(eventTypes);
            listeners.forEach(listener -> listener.accept(eventTypes));
        }

        @Override
        public Listening listen(Consumer<Set<String>> listener) {
            listeners.add(listener);
            return () -> listeners.remove(listener);
        }

        @Override
        public boolean isConnected() {
            return true;
        }
    }

    @AfterEach
    void closeAll() {
        Collections.reverse(outboxes);
        outboxes.forEach(Outbox::close);
        assertThat(wakeUp.listeners).as("listeners of closed outboxes").isEmpty();
    }

    private Outbox writer() {
        return opened(Outbox.writerOnly().backend(backend).wakeUp(wakeUp).build());
    }

    private Outbox node(String name, EventListener listener, int hotQueueCapacity) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Hinted", listener);
        return opened(Outbox.multiNode()
                .backend(backend)
                .wakeUp(wakeUp)
                .claimLocking(name, Duration.ofMinutes(5))
                .listenerRegistry(listeners)
                .workerCount(1)
                .hotQueueCapacity(hotQueueCapacity)
                .coldQueueCapacity(1)
                .intervalMs(NEVER_MS)
                .build());
    }

    private Outbox node(String name) {
        return node(
                name,
                event -> {
                    delivered.add(event.eventId());
                    return DispatchResult.done();
                },
                100);
    }

    private Outbox opened(Outbox outbox) {
        outboxes.add(outbox);
        return outbox;
    }

    private void awaitDelivery(String id) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).contains(id));
    }

    private static EventEnvelope event() {
        return EventEnvelope.ofJson("Hinted", "{}");
    }

    @Test
    void whatAnOutboxWritesThatDoesNotDeliverIsDeliveredElsewhere() {
        node("a");

        awaitDelivery(writer().writer().write(event()));

        assertThat(wakeUp.signals).containsOnly(Set.of("Hinted"));
    }

    @Test
    void whatANodeDeliversItselfCostsNoHint() {
        Outbox node = node("a");

        awaitDelivery(node.writer().write(event()));

        assertThat(wakeUp.signals).isEmpty();
    }

    @Test
    void aDelayedEventIsHintedAtByNobody() {
        writer().writer()
                .write(EventEnvelope.builder("Hinted")
                        .deliverAfter(Duration.ofHours(1))
                        .payloadJson("{}")
                        .build());

        assertThat(wakeUp.signals).isEmpty();
    }

    @Test
    void whatANodeHasNoRoomForIsDeliveredElsewhere() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch busy = new CountDownLatch(1);
        Outbox full = node(
                "full",
                event -> {
                    working.countDown();
                    busy.await();
                    return DispatchResult.done();
                },
                1);
        try {
            full.writer().write(event());
            working.await();
            full.writer().write(event());
            full.writer().write(event());
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(full.status().hotQueueDepth()).isEqualTo(1);
                assertThat(full.status().coldQueueDepth()).isEqualTo(1);
            });
            node("other");
            List<String> more = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                more.add(full.writer().write(event()));
            }

            more.forEach(this::awaitDelivery);
        } finally {
            busy.countDown();
        }
    }

    @Test
    void aReplayIsDeliveredElsewhere() {
        Outbox writer = writer();
        String id = writer.writer().write(event());
        backend.apply(null, List.of(new Outcome.Dead(id, "not yet")));
        node("a");

        assertThat(writer.deadEvents().replay(id)).isTrue();

        awaitDelivery(id);
    }

    @Test
    void anOutboxThatIsNotStartedDoesNotListen() {
        opened(Outbox.singleNode()
                .backend(backend)
                .wakeUp(wakeUp)
                .listenerRegistry(new DefaultListenerRegistry())
                .startManually()
                .build());

        assertThat(wakeUp.listeners).isEmpty();
    }
}
