package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.WakeUp;
import io.outbox.support.CountedConnections;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NoLeftoverThreads;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an outbox tells about itself, and how it is paused. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxStateTest {

    private final CountedConnections connections = new CountedConnections();
    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register(Events.TYPE, event -> {
        delivered.add(event.eventId());
        return DispatchResult.done();
    });

    @AfterEach
    void noConnectionIsLeftOpen() {
        assertThat(connections.open()).isZero();
    }

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.connectionProvider(connections)
                .txContext(transaction)
                .outboxStore(store)
                .listenerRegistry(registry)
                .intervalMs(3_600_000);
    }

    private void write(Outbox outbox, String... ids) {
        for (String id : ids) {
            transaction.begin();
            outbox.writer().write(Events.event(id));
            transaction.commit();
        }
    }

    private void awaitDelivered(int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(store.count(EventStatus.DONE)).isEqualTo(count));
    }

    @Test
    void anOutboxTellsWhereItStandsFromBuildToClose() {
        Outbox outbox = on(Outbox.singleNode()).startManually().build();
        assertThat(outbox.state()).isEqualTo(State.NOT_STARTED);
        outbox.start();
        assertThat(outbox.state()).isEqualTo(State.RUNNING);
        outbox.pause();
        assertThat(outbox.state()).isEqualTo(State.PAUSED);
        outbox.resume();
        assertThat(outbox.state()).isEqualTo(State.RUNNING);
        outbox.close();
        assertThat(outbox.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void itsStateCanBeAskedForWhileItStarts() throws Exception {
        Gate hanging = new Gate();
        WakeUp wakeUp = new WakeUp() {
            @Override
            public void signal(Set<String> eventTypes) {}

            @Override
            public Listening listen(Consumer<Set<String>> listener) {
                hanging.pass();
                return () -> {};
            }

            @Override
            public boolean isConnected() {
                return false;
            }
        };
        try (Outbox outbox =
                on(Outbox.singleNode()).wakeUp(wakeUp).startManually().build()) {
            CompletableFuture<Void> starter = CompletableFuture.runAsync(outbox::start);
            hanging.awaitReached();

            assertThat(CompletableFuture.supplyAsync(outbox::state).get(10, TimeUnit.SECONDS))
                    .isEqualTo(State.RUNNING);

            hanging.open();
            starter.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void aWriterAloneHasNothingToPause() {
        Outbox outbox =
                Outbox.writerOnly().txContext(transaction).outboxStore(store).build();
        assertThat(outbox.state()).isEqualTo(State.WRITER_ONLY);
        assertThatIllegalStateException().isThrownBy(outbox::pause).withMessageContaining("only writes");
        assertThatIllegalStateException().isThrownBy(outbox::resume).withMessageContaining("only writes");
        outbox.close();
        assertThat(outbox.state()).isEqualTo(State.CLOSED);
    }

    @Test
    void aClosedOutboxCannotBePausedOrResumed() {
        Outbox outbox = on(Outbox.singleNode()).build();
        outbox.close();

        assertThatIllegalStateException().isThrownBy(outbox::pause).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(outbox::resume).withMessageContaining("closed");
    }

    @Test
    void aPausedOutboxWritesAndDeliversOnceItIsResumed() {
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            write(outbox, "before");
            awaitDelivered(1);

            outbox.pause();
            outbox.pause();
            write(outbox, "1", "2", "3");
            await().during(Duration.ofMillis(150)).until(() -> delivered.size() == 1);
            assertThat(store.count(EventStatus.NEW)).isEqualTo(3);

            outbox.resume();
            outbox.resume();
            awaitDelivered(4);
        }
        assertThat(delivered).containsExactlyInAnyOrder("before", "1", "2", "3");
    }

    @Test
    void anOutboxPausedBeforeItsStartDeliversNothing() {
        try (Outbox outbox = on(Outbox.singleNode()).startManually().build()) {
            outbox.pause();
            write(outbox, "1");
            assertThat(outbox.deliverDue()).isZero();
            outbox.start();
            assertThat(outbox.state()).isEqualTo(State.PAUSED);
            await().during(Duration.ofMillis(100)).until(delivered::isEmpty);

            outbox.resume();
            awaitDelivered(1);
        }
    }

    @Test
    void orderedModeKeepsItsOrderOverAPause() {
        try (Outbox outbox = on(Outbox.ordered()).intervalMs(5).build()) {
            write(outbox, "1", "2");
            awaitDelivered(2);
            outbox.pause();
            write(outbox, "3", "4", "5");
            outbox.resume();
            awaitDelivered(5);
        }
        assertThat(delivered).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void pauseAndResumeAreLoggedOnceEach() {
        try (LogLines log = new LogLines();
                Outbox outbox = on(Outbox.singleNode()).startManually().build()) {
            write(outbox, "1", "2");

            outbox.resume();
            outbox.pause();
            outbox.pause();
            outbox.resume();
            outbox.resume();

            assertThat(log.at(Level.INFO, "Delivery is ")).hasSize(2);
            assertThat(log.at(Level.INFO, "Delivery is paused: 2 queued events go back to the store"))
                    .hasSize(1);
            assertThat(log.at(Level.INFO, "Delivery is resumed after a pause of "))
                    .hasSize(1);
        }
    }

    @Test
    void theStatusCountsWhatIsQueued() {
        try (Outbox outbox = on(Outbox.singleNode()).startManually().build()) {
            write(outbox, "1", "2");

            OutboxStatus status = outbox.status();

            assertThat(status.state()).isEqualTo(State.NOT_STARTED);
            assertThat(status.hotQueueDepth()).isEqualTo(2);
            assertThat(status.coldQueueDepth()).isZero();
            assertThat(status.unavailableTypes()).isEmpty();
            outbox.pause();
            assertThat(outbox.status().hotQueueDepth()).isZero();
        }
    }

    @Test
    void theStatusOfAStoreThatCannotCountIsEmpty() {
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            assertThat(outbox.status().dead()).isZero();
            assertThat(outbox.status().pending()).isEmpty();
        }
    }

    @Test
    void theStatusOfAWriterAloneIsEmpty() {
        try (Outbox outbox =
                Outbox.writerOnly().txContext(transaction).outboxStore(store).build()) {
            assertThat(outbox.status()).satisfies(status -> {
                assertThat(status.state()).isEqualTo(State.WRITER_ONLY);
                assertThat(status.pending()).isEmpty();
                assertThat(status.dead()).isZero();
            });
        }
    }

    @Test
    void lanesNeedAStoreThatReadsByType() {
        assertThatIllegalStateException()
                .isThrownBy(() -> on(Outbox.singleNode())
                        .lane("A", LanePolicy.builder().build())
                        .build())
                .withMessageContaining("Lanes")
                .withMessageContaining("type");
    }

    @Test
    void lanesAreRefusedInOrderedMode() {
        assertThatIllegalStateException()
                .isThrownBy(() -> on(Outbox.ordered())
                        .lane("A", LanePolicy.builder().build())
                        .build())
                .withMessageContaining("Ordered")
                .withMessageContaining("lane");
    }

    @Test
    void anEventTypeHasOneLane() {
        LanePolicy policy = LanePolicy.builder().build();

        assertThatIllegalStateException()
                .isThrownBy(() -> Outbox.singleNode().lane("A", policy).lane("A", policy))
                .withMessageContaining("A");
    }
}
