package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventsLockedException;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Outcomes, releases and burials that the store does not take at once: they are kept until it does. */
@ExtendWith(NoLeftoverThreads.class)
class KeptOutcomesTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final LogLines log = new LogLines();
    private final Node node = Node.on(backend).metrics(metrics);

    @AfterEach
    void close() {
        node.close();
        log.close();
    }

    private Node node(boolean several) {
        if (several) {
            node.named("node", LEASE);
        }
        return node.listen(event -> DispatchResult.done());
    }

    private void put(int count) {
        for (int i = 0; i < count; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    private void awaitCounted(String name, int count) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(metrics.get(name)).isEqualTo(count));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aStoreThatFailsEveryOtherTimeLosesNoOutcome(boolean several) {
        int events = 400;
        backend.before(Op.APPLY, call -> {
            if (call.number() == 1) {
                await().atMost(Duration.ofSeconds(20))
                        .until(() -> node.delivered().size() == events);
            }
            boolean fails = call.number() <= 3 || call.number() % 2 == 0;
            if (fails && call.number() < 500) {
                throw ScriptedBackend.unreachable();
            }
        });
        put(events);

        node(several).polling(settings -> settings.intervalMs(1)).start();

        awaitCounted("success", events);
        assertThat(backend.count(EventStatus.DONE)).isEqualTo(events);
        assertThat(node.delivered()).hasSize(events).doesNotHaveDuplicates();
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void outcomesWhoseAnswersWereLostAreRecognisedWhenTheyAreWrittenAgain() {
        int events = 300;
        backend.after(Op.APPLY, call -> {
            if (call.number() <= 4) {
                throw ScriptedBackend.unreachable();
            }
        });
        put(events);

        node(true).start();

        awaitCounted("success", events);
        assertThat(metrics.get("fenced")).isZero();
        assertThat(node.delivered()).hasSize(events).doesNotHaveDuplicates();
    }

    @Test
    void keptOutcomesAreTriedAgainAsSoonAsAnotherCallSucceeds() {
        int rounds = 20;
        Duration shortestBackoffs = Duration.ofMillis(50 + 100 + 200 + (rounds - 3) * 250L);
        put(1);
        backend.down(Op.APPLY);
        node(true).build();
        node.engine().start();
        node.loop().pollOnce();
        awaitCalls(Op.APPLY, 1);
        long start = System.nanoTime();

        for (int round = 0; round < rounds; round++) {
            long tried = backend.calls(Op.APPLY);
            backend.down(Op.CLAIM);
            node.loop().pollOnce();
            backend.undisturbed(Op.CLAIM);
            node.loop().pollOnce();
            awaitCalls(Op.APPLY, tried + 1);
        }

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(shortestBackoffs.dividedBy(2));
        backend.up();
        awaitCounted("success", 1);
    }

    private void awaitCalls(Op op, long count) {
        await().atMost(Duration.ofSeconds(10))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> backend.calls(op) >= count);
    }

    @Test
    void anOutageIsLoggedAsAnErrorOnceAndItsEndToo() {
        put(1);
        backend.down(Op.APPLY);
        node(false).start();

        awaitCalls(Op.APPLY, 5);
        backend.up();
        awaitCounted("success", 1);

        assertThat(log.at(Level.SEVERE, "Cannot write 1 outcomes")).hasSize(1);
        await().untilAsserted(() ->
                assertThat(log.at(Level.INFO, "takes outcomes again")).hasSize(1));
    }

    @Test
    void whatIsDroppedAtTheEndIsLogged() {
        Gate listener = new Gate();
        put(2);
        backend.down(Op.APPLY, Op.RELEASE);
        node.named("node", LEASE)
                .delivery(settings -> settings.workerCount(1))
                .delivery(settings -> settings.drainTimeoutMs(0))
                .listen(event -> {
                    listener.pass();
                    return DispatchResult.done();
                })
                .start();
        listener.awaitReached();
        await().until(() -> node.engine().coldQueueDepth() == 1);

        listener.open();
        awaitCalls(Op.APPLY, 1);
        node.close();

        assertThat(log.at(Level.WARNING, "Closed before the store took"))
                .singleElement()
                .satisfies(line ->
                        assertThat(line).containsPattern("[12] outcomes").contains("delivered again later"));
    }

    @Test
    void anEventIsGivenBackUntilTheStoreTakesIt() {
        put(3);
        node(true).build();
        node.loop().pollOnce();
        assertThat(backend.locked()).isEqualTo(3);
        backend.before(Op.RELEASE, call -> {
            if (call.number() <= 3) {
                throw ScriptedBackend.unreachable();
            }
        });

        node.engine().pauses().pause();
        node.engine().start();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 0);
        assertThat(backend.calls(Op.RELEASE)).isGreaterThan(3);
    }

    @Test
    void anEventThatSomebodyElseHasLockedIsGivenBackLaterAndTheOthersAtOnce() {
        AtomicBoolean locked = new AtomicBoolean(true);
        put(4);
        node(true).build();
        node.loop().pollOnce();
        backend.before(Op.RELEASE, call -> {
            if (locked.get() && call.concerns("e1")) {
                throw new EventsLockedException(Set.of("e1"));
            }
        });

        node.engine().pauses().pause();
        node.engine().start();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 1);
        assertThat(backend.row("e1").ownerId()).isEqualTo("node");
        locked.set(false);
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 0);
    }

    @Test
    void anEventThatCannotBeDecodedIsBuriedUntilTheStoreTakesIt() {
        backend.putUndecodable("bad", Events.TYPE);
        backend.before(Op.APPLY, call -> {
            if (call.number() <= 3) {
                throw ScriptedBackend.unreachable();
            }
        });

        node(true).start();

        awaitCounted("dead", 1);
        assertThat(backend.status("bad")).isEqualTo(EventStatus.DEAD);
        assertThat(backend.row("bad").lastError()).contains("headers");
    }

    @Test
    void aReportThatFailsCostsNoOtherEventOfTheBatchItsEnd() {
        AtomicBoolean broken = new AtomicBoolean(true);
        Clock clock = new Clock() {
            @Override
            public Instant instant() {
                if (broken.get()) {
                    throw new IllegalStateException("the clock of the application");
                }
                return Instant.now();
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
        node.listen(event -> DispatchResult.retryAfter(Duration.ofMillis(1)))
                .polling(settings -> settings.clock(clock))
                .build();
        for (int i = 0; i < 10; i++) {
            node.write(Events.event("e" + i));
        }

        node.engine().deliverQueued();
        broken.set(false);
        await().pollDelay(Duration.ofMillis(2)).until(() -> true);
        node.loop().pollOnce();

        assertThat(node.engine().coldQueueDepth()).as("all of them come again").isEqualTo(10);
    }
}
