package io.outbox.testservers.broker;

import static io.outbox.testservers.broker.Outcomes.TYPE;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.ids;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.ForwardingBatchListener;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of events when broker or network fail. */
@Timeout(240)
public abstract class BrokerFaultContract extends BrokerContract {

    /** Returns a sender that does not give up an event before the emergency timeout does. */
    protected BatchEventListener patientSender(String target, Duration emergencyTimeout) {
        return sender(target, emergencyTimeout);
    }

    /** Returns a sender of dead letters to the target. */
    protected abstract BatchEventListener deadLetterSender(String target, Duration emergencyTimeout);

    /** Returns the time within which a batch under way ends when its sender is closed. */
    protected abstract Duration timeToClose();

    @Test
    void aSlowBrokerIsWaitedFor() {
        String target = broker().newTarget();
        BatchEventListener sender = sender(target, Duration.ofSeconds(30));
        send(sender, events(1));

        broker().proxy().delay(Duration.ofMillis(400));
        long start = System.nanoTime();
        List<String> words = send(sender, events(50));

        assertThat(words).hasSize(50).containsOnly("done");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(800));
        broker().proxy().delay(Duration.ZERO);
        assertThat(broker().eventIds(target)).hasSize(51).doesNotHaveDuplicates();
    }

    @Test
    void aLostAnswerCostsTheEmergencyTimeoutAndTheEventsAreThere() throws Exception {
        String target = broker().newTarget();
        BatchEventListener sender = patientSender(target, Duration.ofSeconds(3));
        send(sender, events(1));
        List<EventEnvelope> batch = events(5);

        // The events pass and the answer does not.
        broker().proxy().delay(Duration.ofMillis(500));
        CompletableFuture<Void> stall = stallAfter(Duration.ofMillis(800));
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = sender.onEvents(batch);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        stall.join();
        broker().proxy().delay(Duration.ZERO);
        broker().proxy().resume();

        assertThat(words(outcomes)).hasSize(5).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("3s");
        assertThat(took).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(6));
        assertThat(broker().eventIds(target)).hasSize(6).endsWith(ids(batch).toArray(String[]::new));
    }

    @Test
    void closingTheSenderEndsABatchUnderWay() throws Exception {
        BatchEventListener sender = sender(broker().newTarget(), Duration.ofSeconds(100));
        send(sender, events(1));

        broker().server().pause();
        CompletableFuture<List<String>> underWay = CompletableFuture.supplyAsync(() -> send(sender, events(5)));
        await().during(Duration.ofMillis(300)).until(() -> !underWay.isDone());
        ((AutoCloseable) sender).close();

        assertThat(underWay)
                .succeedsWithin(timeToClose())
                .satisfies(words -> assertThat(words).hasSize(5).containsOnly("unavailable"));
    }

    @Test
    void aShutdownDuringASendGivesTheEventsBackAndTheNextOutboxDeliversThem() {
        String target = broker().newTarget();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        BatchEventListener sender = sender(target, Duration.ofSeconds(60));
        send(sender, events(1));
        Set<String> written = new HashSet<>();

        broker().server().pause();
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, sender))
                .drainTimeoutMs(200)
                .build()) {
            backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(50))));
        }
        assertThat(backend.events())
                .allSatisfy(stored -> assertThat(stored.isPending()).isTrue());
        assertNoAttempts(backend);
        broker().server().resume();

        track(outbox(backend, sender));
        awaitDone(backend);
        assertThat(broker().eventIds(target)).containsAll(written);
    }

    @Test
    void anEventIsNotDeadBeforeTheBrokerHasItsLetter() {
        String target = broker().newTarget();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        BatchEventListener sender = deadLetterSender(target, Duration.ofSeconds(4));
        track((AutoCloseable) sender);
        AtomicInteger calls = new AtomicInteger();
        BatchEventListener failing = new ForwardingBatchListener(sender) {
            @Override
            public List<BatchOutcome> onEvents(
                    List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
                calls.addAndGet(events.size());
                return Collections.nCopies(events.size(), BatchOutcome.failed(new IllegalStateException("no use")));
            }
        };
        List<String> written = new ArrayList<>();
        broker().proxy().refuse();
        broker().proxy().resetAll();
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, failing))
                .maxAttempts(1)
                .build()) {
            backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(3))));

            await().atMost(Duration.ofSeconds(60)).until(() -> calls.get() > 3);
            assertThat(backend.events())
                    .allSatisfy(stored -> assertThat(stored.isPending()).isTrue());
            broker().proxy().accept();

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> backend.events().stream().allMatch(stored -> stored.status() == EventStatus.DEAD));
        }
        assertThat(broker().eventIds(target)).containsExactlyInAnyOrderElementsOf(written);
    }

    /**
     * What was written while the broker was killed and started again, and delivered to the end.
     *
     * @param killedAt when it was killed, in the time of {@link System#nanoTime()}
     */
    protected record Load(InMemoryOutboxBackend backend, Set<String> written, long killedAt) {}

    /**
     * Writes events for some seconds, with the broker gone for a while in between, until all are done. It is so far
     * away that several batches are under way when it goes.
     */
    protected final Load deliverWhileTheBrokerIsKilled(RecordingListener listener, Duration down) {
        broker().proxy().distance(Duration.ofMillis(10));
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        Set<String> written = new HashSet<>();
        try (Outbox outbox = outbox(backend, listener)) {
            AtomicBoolean writing = new AtomicBoolean(true);
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (writing.get()) {
                    backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(5))));
                    await().pollDelay(Duration.ofMillis(5)).until(() -> true);
                }
            });
            await().until(() -> done(backend) > 0);

            broker().kill();
            long killedAt = System.nanoTime();
            await().pollDelay(down).until(() -> true);
            broker().server().restart();

            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            writing.set(false);
            writer.join();
            awaitDone(backend);
            assertThat(listener.mostUnderWay()).isGreaterThan(1);
            return new Load(backend, written, killedAt);
        }
    }

    private static Outbox outbox(InMemoryOutboxBackend backend, BatchEventListener listener) {
        return Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .maxAttempts(1_000)
                .retryPolicy(attempts -> 100)
                .intervalMs(100)
                .build();
    }

    protected static void awaitDone(InMemoryOutboxBackend backend) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> done(backend) == backend.events().size());
    }

    /** Makes the network silent after a while. */
    protected final CompletableFuture<Void> stallAfter(Duration delay) {
        return CompletableFuture.runAsync(
                broker().proxy()::stall, CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS));
    }
}
