package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The end of an outbox: it waits for those that finish, forces the others, and leaves nothing locked. */
@Timeout(60)
@ExtendWith(NoLeftoverThreads.class)
class OutboxCloseTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

    private Outbox.MultiNodeBuilder node() {
        return Outbox.multiNode()
                .backend(backend)
                .listenerRegistry(registry)
                .claimLocking("node", Duration.ofMinutes(5))
                .workerCount(1);
    }

    private void put(int count) {
        for (int i = 0; i < count; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    @Test
    void whatWasNotDeliveredIsGivenBackAndCountsNoAttempt() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        registry.register(Events.TYPE, event -> {
            entered.countDown();
            new CountDownLatch(1).await();
            return DispatchResult.done();
        });
        put(20);
        Outbox outbox = node().drainTimeoutMs(0).build();
        assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 20);

        outbox.close();

        assertThat(backend.locked()).isZero();
        assertThat(backend.count(EventStatus.NEW)).isEqualTo(20);
        assertThat(backend.row("e0").attempts()).isZero();
    }

    @Test
    void whatIsQueuedBehindAListenerThatDoesNotEndIsGivenBack() {
        Gate listener = new Gate();
        registry.register(Events.TYPE, event -> {
            listener.pass();
            return DispatchResult.done();
        });
        put(20);
        Outbox outbox = node().drainTimeoutMs(0).build();
        listener.awaitReached();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 20);

        outbox.close();

        assertThat(backend.locked()).as("the one with the listener").isEqualTo(1);
        listener.open();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == 1);
    }

    @Test
    void eventsThatComeInBehindTheEndAreGivenBackToo() {
        Gate listener = new Gate();
        registry.register(Events.TYPE, event -> {
            listener.pass();
            return DispatchResult.done();
        });
        Outbox outbox = node().drainTimeoutMs(0).build();
        backend.begin();
        outbox.writer().write(Events.event("late"));

        outbox.close();
        backend.commit();

        assertThat(backend.status("late")).isEqualTo(EventStatus.NEW);
        assertThat(backend.owner("late")).isNull();
    }

    @Test
    void aSecondCloseReturnsWhenTheFirstIsDone() throws Exception {
        Gate listener = new Gate();
        List<String> ends = new CopyOnWriteArrayList<>();
        registry.register(Events.TYPE, event -> {
            listener.pass();
            ends.add("listener");
            return DispatchResult.done();
        });
        put(1);
        Outbox outbox = node().drainTimeoutMs(20_000).build();
        listener.awaitReached();
        CompletableFuture<Void> first = CompletableFuture.runAsync(outbox::close);
        await().until(() -> outbox.state() == State.CLOSED);

        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            outbox.close();
            ends.add("second close");
        });
        await().during(Duration.ofMillis(200)).until(() -> !second.isDone());
        listener.open();

        first.get(20, TimeUnit.SECONDS);
        second.get(20, TimeUnit.SECONDS);
        assertThat(ends).containsExactly("listener", "second close");
        assertThat(backend.status("e0")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void lanesWhoseListenersDoNotEndCloseTogether() {
        int lanes = 10;
        Gate listener = new Gate();
        Outbox.MultiNodeBuilder builder = node().drainTimeoutMs(100);
        CountDownLatch stuck = new CountDownLatch(lanes);
        for (int i = 0; i < lanes; i++) {
            registry.register("Lane" + i, event -> {
                stuck.countDown();
                listener.pass();
                return DispatchResult.done();
            });
            builder.lane("Lane" + i, LanePolicy.builder().build());
            backend.put(Events.event("e" + i, "Lane" + i));
        }
        Outbox outbox = builder.build();
        await().atMost(Duration.ofSeconds(10)).until(() -> stuck.getCount() == 0);
        long start = System.nanoTime();

        outbox.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
        listener.open();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == lanes);
    }
}
