package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A second instance on a store where one is meant to be alone is noticed, and nothing else is taken for one. */
@ExtendWith(NoLeftoverThreads.class)
class StrangersTest {

    private static final String SECOND = "another instance seems to run in single-node mode";

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Gate gate = new Gate();
    private final Node node = Node.on(backend);
    private LogLines log;

    @BeforeEach
    void open() {
        log = new LogLines();
    }

    @AfterEach
    void close() {
        gate.open();
        backend.up();
        node.close();
        log.close();
    }

    private Node listening() {
        return node.listen(event -> {
            gate.pass();
            return DispatchResult.done();
        });
    }

    /** Writes an event and returns when its listener has it. */
    private void writeAndHold(String eventId) {
        node.write(Events.event(eventId));
        gate.awaitReached();
    }

    private void awaitAnswer() {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !log.at(Level.WARNING, "was refused").isEmpty());
    }

    @Test
    void anInstanceThatFinishesOurEventsIsNamed() {
        listening().start();
        writeAndHold("e1");
        try (Node second = Node.on(backend).listen(event -> DispatchResult.done())) {
            second.start();
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e1") == EventStatus.DONE);
        }

        gate.open();

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND))
                .singleElement()
                .asString()
                .startsWith("Event e1 was delivered here and finished elsewhere")
                .contains("Outbox.multiNode()", "outbox.mode=multi-node");
    }

    @Test
    void itIsSaidOnceInAWhile() {
        AtomicLong nanoTime = new AtomicLong();
        Strangers strangers = new Strangers(backend, nanoTime::get);
        OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
        for (String id : List.of("e1", "e2", "e3")) {
            backend.put(Events.event(id));
            backend.apply(null, List.of(new Outcome.Done(id, Instant.EPOCH)));
        }

        strangers.lookAt(List.of(refused(owned, "e1")));
        strangers.lookAt(List.of(refused(owned, "e2")));
        assertThat(log.at(Level.WARNING, SECOND)).hasSize(1);
        assertThat(backend.calls(Op.DONE_AMONG)).isEqualTo(1);
        nanoTime.addAndGet(Strangers.PERIOD_NANOS);
        strangers.lookAt(List.of(refused(owned, "e3")));

        assertThat(log.at(Level.WARNING, SECOND)).hasSize(2);
    }

    private static Completion refused(OwnedEvents owned, String eventId) {
        Hold hold = owned.acquire(eventId);
        Outcome outcome = new Outcome.Done(eventId, Instant.now());
        return new Completion(hold, Events.TYPE, Events.event(eventId), outcome, new Completion.Failure(null, 0, null));
    }

    @Test
    void anOutcomeWhoseAnswerGotLostIsNoSignOfOne() {
        // an engine that does not recognise what it has written before
        listening().start();
        writeAndHold("e1");
        backend.after(Op.APPLY, call -> {
            backend.undisturbed(Op.APPLY);
            backend.forgetOutcome("e1");
            throw ScriptedBackend.unreachable();
        });

        gate.open();

        awaitAnswer();
        assertThat(backend.status("e1")).isEqualTo(EventStatus.DONE);
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }

    @Test
    void anEventThatIsGoneIsNoSignOfOne() {
        listening().start();
        writeAndHold("e1");
        backend.remove("e1");

        gate.open();

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }

    @Test
    void anEventThatDiedIsNoSignOfOne() {
        listening().start();
        writeAndHold("e1");
        backend.apply(null, List.of(new Outcome.Dead("e1", "by hand")));

        gate.open();

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }

    @Test
    void anEventThatTheApplicationHandsOverAgainIsNoSignOfOne() {
        listening().start();
        gate.open();
        node.write(Events.event("e1"));
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e1") == EventStatus.DONE);

        // refused for as long as the first delivery still holds the event
        await().until(() -> node.engine().enqueueCold(new QueuedEvent(Events.event("e1"), Source.COLD, 0)));
        await().until(() -> node.delivered().size() == 2);

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }

    @Test
    void anEventThatATrackerLetsPassTwiceIsNoSignOfOne() {
        Gate second = new Gate();
        AtomicInteger calls = new AtomicInteger();
        node.delivery(settings -> settings.inFlightTracker(new DefaultInFlightTracker(1)))
                .delivery(settings -> settings.workerCount(2))
                .polling(settings -> settings.intervalMs(20))
                .listen(event -> {
                    (calls.incrementAndGet() == 1 ? gate : second).pass();
                    return DispatchResult.done();
                })
                .start();
        writeAndHold("e1");
        second.awaitReached();

        gate.open();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.status("e1") == EventStatus.DONE);
        second.open();

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }

    @Test
    void severalNodesAreNoSignOfOne() {
        node.named("node", Duration.ofMinutes(5));
        listening().start();
        writeAndHold("e1");
        backend.steal("e1", "other");
        backend.apply("other", List.of(new Outcome.Done("e1", Instant.now())));

        gate.open();

        awaitAnswer();
        assertThat(log.at(Level.WARNING, SECOND)).isEmpty();
    }
}
