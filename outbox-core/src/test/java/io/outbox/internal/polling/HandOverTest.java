package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.Refusal;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What was claimed and not handed over is given back, whatever the reason. */
@ExtendWith(NoLeftoverThreads.class)
class HandOverTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> handled = new ArrayList<>();
    private final LogLines log = new LogLines();
    private OutboxPoller poller;

    @AfterEach
    void close() {
        if (poller != null) {
            poller.close();
        }
        log.close();
    }

    private void put(int count) {
        for (int i = 0; i < count; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    private void poll(OutboxPollerHandler handler) {
        poller = OutboxPoller.builder()
                .backend(backend)
                .handler(handler)
                .metrics(metrics)
                .claimLocking("node", LEASE)
                .build();
        poller.poll();
    }

    @Test
    void whatTheHandlerRefusesAndWhatComesBehindItGoesBack() {
        put(10);

        poll((event, attempts) -> handled.size() < 3 && handled.add(event.eventId()));

        assertThat(handled).containsExactly("e0", "e1", "e2");
        assertThat(backend.locked()).isEqualTo(3);
        assertThat(backend.owner("e2")).isEqualTo("node");
        assertThat(metrics.get("coldEnqueued")).isEqualTo(3);
    }

    @Test
    void askingTheHandlerForRoomHoldsUpNoOtherPoll() throws InterruptedException {
        put(1);
        Gate asked = new Gate();
        AtomicReference<Thread> slow = new AtomicReference<>();
        AtomicInteger questions = new AtomicInteger();
        poll(new OutboxPollerHandler() {
            @Override
            public boolean handle(EventEnvelope event, int attempts) {
                return handled.add(event.eventId());
            }

            @Override
            public int availableCapacity() {
                if (Thread.currentThread() == slow.get() && questions.incrementAndGet() == 2) {
                    asked.pass();
                }
                return 1;
            }
        });
        slow.set(new Thread(poller::poll));
        slow.get().start();
        asked.awaitReached();

        Thread other = new Thread(poller::poll);
        other.start();
        other.join(Duration.ofSeconds(10).toMillis());
        boolean waited = other.isAlive();
        asked.open();
        other.join();
        slow.get().join();

        assertThat(waited).isFalse();
    }

    @Test
    void whatTheHandlerFailsAtAndWhatComesBehindItGoesBack() {
        put(10);

        poll((event, attempts) -> {
            if (handled.size() == 4) {
                throw new IllegalStateException("of the handler");
            }
            return handled.add(event.eventId());
        });

        assertThat(backend.locked()).isEqualTo(4);
    }

    @Test
    void anErrorOfTheHandlerIsNoDifferent() {
        put(10);

        poll((event, attempts) -> {
            throw new StackOverflowError("of the handler");
        });

        assertThat(backend.locked()).isZero();
    }

    @Test
    void anEventThatCannotBeDecodedGoesDeadAndKeepsNoOtherFromTheHandler() {
        put(2);
        backend.putUndecodable("bad", Events.TYPE);
        backend.put(Events.event("last"));

        poll((event, attempts) -> handled.add(event.eventId()));

        assertThat(handled).containsExactly("e0", "e1", "last");
        assertThat(backend.status("bad")).isEqualTo(EventStatus.DEAD);
        assertThat(metrics.get("dead")).isEqualTo(1);
    }

    @Test
    void whatCannotBeGivenBackOrBuriedIsTriedAgainWithTheNextCycle() {
        backend.putUndecodable("bad", Events.TYPE);
        put(3);
        backend.down(Op.RELEASE, Op.APPLY);

        poll((event, attempts) -> !event.eventId().equals("e2"));
        poller.poll();
        assertThat(backend.status("bad")).isEqualTo(EventStatus.NEW);
        assertThat(backend.owner("e2")).isEqualTo("node");
        backend.up();
        poller.poll();

        assertThat(backend.status("bad")).isEqualTo(EventStatus.DEAD);
        assertThat(backend.owner("e2")).isNull();
        assertThat(backend.owner("e1")).isEqualTo("node");
        assertThat(metrics.get("dead")).isEqualTo(1);
    }

    @Test
    void anEventThatTheStoreRefusesToBuryKeepsNoOtherFromBeingGivenBack() {
        backend.putUndecodable("bad", Events.TYPE);
        put(3);
        backend.before(Op.APPLY, call -> {
            throw new Refusal("not this one");
        });

        poll((event, attempts) -> false);

        assertThat(backend.owner("e0")).isNull();
        assertThat(backend.owner("e2")).isNull();
        assertThat(backend.status("bad")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void whatTheLanesRefuseAfterItWasClaimedGoesBack() {
        put(10);
        try (Node node = Node.on(backend).named("node", LEASE).listen(event -> DispatchResult.done())) {
            node.build();
            backend.after(Op.CLAIM, call -> node.engine().pauses().pause());
            node.engine().start();

            node.loop().pollOnce();

            await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 0);
            assertThat(node.delivered()).isEmpty();
            node.engine().pauses().resume();
            backend.undisturbed(Op.CLAIM);
            node.loop().pollOnce();
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == 10);
        }
    }

    @Test
    void ofAPageForWhichThereIsNotEnoughRoomTheRestGoesBack() {
        put(10);
        try (Node node = Node.on(backend)
                .named("node", LEASE)
                .metrics(metrics)
                .delivery(settings -> settings.coldQueueCapacity(10))
                .listen(event -> DispatchResult.done())
                .build()) {
            backend.after(Op.CLAIM, call -> {
                for (int i = 0; i < 6; i++) {
                    node.engine().enqueueCold(new QueuedEvent(Events.event("other" + i), Source.COLD, 0));
                }
            });

            node.loop().pollOnce();
            node.engine().deliverQueued();

            assertThat(node.delivered()).hasSize(10).endsWith("e0", "e1", "e2", "e3");
            assertThat(metrics.get("coldEnqueued")).isEqualTo(4);
            assertThat(backend.locked()).isZero();
            backend.undisturbed(Op.CLAIM);
            node.loop().pollOnce();
            node.engine().deliverQueued();
            assertThat(backend.count(EventStatus.DONE)).isEqualTo(10);
            assertThat(node.delivered()).doesNotHaveDuplicates();
        }
    }

    @Test
    void ofAPageThatATrackerFailsAtEverythingGoesBack() {
        put(10);
        AtomicBoolean fails = new AtomicBoolean(true);
        InFlightTracker failing = new InFlightTracker() {
            private final InFlightTracker tracker = new DefaultInFlightTracker();

            @Override
            public boolean tryAcquire(String eventId) {
                if (eventId.equals("e5") && fails.getAndSet(false)) {
                    throw new IllegalStateException("of the tracker");
                }
                return tracker.tryAcquire(eventId);
            }

            @Override
            public void release(String eventId) {
                tracker.release(eventId);
            }
        };
        try (Node node = Node.on(backend)
                .named("node", LEASE)
                .delivery(settings -> settings.inFlightTracker(failing))
                .listen(event -> DispatchResult.done())
                .build()) {
            node.loop().pollOnce();
            node.engine().deliverQueued();
            assertThat(node.delivered()).isEmpty();
            assertThat(backend.locked()).isZero();

            node.loop().pollOnce();
            node.engine().deliverQueued();
            assertThat(backend.count(EventStatus.DONE)).isEqualTo(10);
        }
    }

    @Test
    void pollsThatFailAreLoggedAsAnErrorOnceAndTheirEndToo() {
        put(1);
        backend.down(Op.CLAIM);
        try (Node node = Node.on(backend)
                .named("node", LEASE)
                .polling(settings -> settings.intervalMs(5))
                .listen(event -> DispatchResult.done())
                .start()) {
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.CLAIM) >= 3);
            backend.up();
            await().atMost(Duration.ofSeconds(10)).until(() -> node.delivered().size() == 1);
            await().until(() -> !log.at(Level.INFO, "Polling works again").isEmpty());
        }

        assertThat(log.at(Level.SEVERE, "Polling failed")).hasSize(1);
        assertThat(log.at(Level.INFO, "Polling works again")).hasSize(1);
    }
}
