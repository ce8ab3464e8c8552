package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.UnroutableEventException;
import io.outbox.model.EventStatus;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.Capability;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who cannot route an event among several nodes does not judge it. */
@ExtendWith(NoLeftoverThreads.class)
class UnroutableEventsTest {

    private static final String ADDED = "Added";
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long INTERVAL_MS = 20;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    private Node node(String name) {
        Node node = Node.on(backend)
                .named(name, LEASE)
                .metrics(metrics)
                .polling(settings -> settings.intervalMs(INTERVAL_MS))
                .listen(event -> DispatchResult.done());
        nodes.add(node);
        return node;
    }

    private static EventEnvelope ofAggregate(String eventId, String aggregateType) {
        return EventEnvelope.builder(ADDED)
                .eventId(eventId)
                .aggregateType(aggregateType)
                .payloadJson("{}")
                .build();
    }

    private static EventEnvelope dueSince(String eventId, Duration ago) {
        Instant due = Instant.now().minus(ago);
        return EventEnvelope.builder(ADDED)
                .eventId(eventId)
                .occurredAt(due)
                .payloadJson("{}")
                .build();
    }

    private void awaitCount(EventStatus status, int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(status) == count);
    }

    /** Waits until every node has polled a few more times. */
    private void awaitPolls(int count) {
        long until = backend.calls(Op.CURRENT_TIME) + count;
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.calls(Op.CURRENT_TIME) >= until);
    }

    private void awaitLeft(Node node) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !node.engine().unavailable().isEmpty() && backend.locked() == 0);
    }

    @Test
    void anEventTypeThatOnlyTheNewNodesKnowReachesThemOnceEachAndUncounted() {
        Node older = node("older").start();
        Node old = node("old").start();
        Node fresh = node("new").listen(ADDED, event -> DispatchResult.done()).start();
        int total = 0;

        for (int round = 0; round < 60; round++) {
            old.write(Events.event("written" + round, ADDED), Events.event("other" + round));
            older.write(Events.event("written too" + round, ADDED));
            backend.put(Events.event("found" + round, ADDED));
            total += 4;
            Instant began = Instant.now();
            awaitCount(EventStatus.DONE, total);
            assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofSeconds(2));
        }

        assertThat(fresh.delivered().stream().filter(id -> !id.startsWith("other")))
                .hasSize(180)
                .doesNotHaveDuplicates();
        assertThat(backend.row("written0").attempts()).isZero();
        assertThat(backend.count(EventStatus.DEAD)).isZero();
        assertThat(metrics.get("failure") + metrics.get("deferred") + metrics.get("dead") + metrics.get("fenced"))
                .isZero();
    }

    @Test
    void whatNobodyHereListensToIsClaimedOnceAndThenLeftAlone() {
        for (int i = 0; i < 300; i++) {
            backend.put(Events.event("added" + i, ADDED));
        }
        Node node = node("old").start();
        awaitLeft(node);
        long written = backend.rowsWritten();
        assertThat(written).as("claims and releases").isLessThanOrEqualTo(600);

        node.write(Events.event("other"), Events.event("another", ADDED));
        awaitCount(EventStatus.DONE, 1);
        awaitPolls(30);

        assertThat(backend.rowsWritten() - written)
                .as("the outcome of the other")
                .isEqualTo(1);
        assertThat(backend.row("added0").attempts()).isZero();
        assertThat(node.engine().unavailable())
                .extracting(UnavailableTarget::eventType, UnavailableTarget::cause)
                .containsExactly(tuple(ADDED, "no listener on this node for event type " + ADDED));
        assertThat(node.engine().unavailable().get(0).since())
                .isBetween(Instant.now().minusSeconds(60), Instant.now());
    }

    @Test
    void anEventWrittenByANodeWithoutItsListenerIsNotLockedByIt() {
        Node node = node("old")
                .polling(settings -> settings.intervalMs(Node.NEVER_MS))
                .start();
        await().until(() -> backend.calls(Op.NEXT_DUE) > 0);

        node.write(Events.event("added", ADDED));

        assertThat(backend.owner("added")).isNull();
        assertThat(backend.rowsWritten()).isZero();
        assertThat(metrics.get("hotDropped")).isZero();
    }

    @Test
    void aListenerThatIsRegisteredLaterIsNoticed() {
        try (LogLines log = new LogLines()) {
            backend.put(Events.event("early", ADDED));
            Node node = node("node").start();
            awaitLeft(node);
            node.write(Events.event("early too", ADDED));
            assertThat(log.at(Level.WARNING, "No listener for event type " + ADDED + " on this node"))
                    .hasSize(1);

            node.listen(ADDED, event -> DispatchResult.done());

            awaitCount(EventStatus.DONE, 2);
            node.write(Events.event("late", ADDED));
            awaitCount(EventStatus.DONE, 3);
            assertThat(node.engine().unavailable()).isEmpty();
            assertThat(log.at(Level.INFO, "There is a listener for event type " + ADDED))
                    .hasSize(1);
        }
    }

    @Test
    void whatNoNodeHasTakenForTheGraceIsDead() {
        Duration grace = Duration.ofMillis(1500);
        Node one = node("one")
                .delivery(settings -> settings.unroutableGrace(grace))
                .start();
        Node other = node("other")
                .delivery(settings -> settings.unroutableGrace(grace))
                .start();
        Instant writtenAt = Instant.now();
        one.write(Events.event("added", ADDED), ofAggregate("invoice", "Invoice"));
        awaitLeft(one);
        awaitPolls(10);
        assertThat(backend.status("added")).isEqualTo(EventStatus.NEW);

        awaitCount(EventStatus.DEAD, 2);

        assertThat(Duration.between(writtenAt, Instant.now())).isGreaterThanOrEqualTo(grace);
        assertThat(backend.row("added").attempts()).isZero();
        assertThat(backend.row("added").lastError())
                .contains(
                        UnroutableEventException.class.getName(),
                        "No listener for event type Added on this node, and no other node took the event within 1500ms");
        assertThat(backend.row("invoice").lastError()).contains("event type Added of aggregate type Invoice on");
        assertThat(other.engine().unavailable()).hasSize(1);
    }

    @Test
    void theGraceIsThatOfTheStoreAndOutlivesTheNode() {
        backend.ahead(HOUR);
        backend.put(dueSince("long ago", Duration.ofMinutes(20).minus(HOUR)), dueSince("just now", HOUR.negated()));

        node("restarted").start();

        awaitCount(EventStatus.DEAD, 1);
        awaitPolls(10);
        assertThat(backend.status("long ago")).isEqualTo(EventStatus.DEAD);
        assertThat(backend.status("just now")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void theGraceOfADelayedEventBeginsWhenItIsDue() {
        backend.put(EventEnvelope.builder(ADDED)
                .eventId("delayed")
                .occurredAt(Instant.now().minus(HOUR))
                .availableAt(Instant.now().plusMillis(100))
                .payloadJson("{}")
                .build());
        Node node = node("old").start();

        awaitLeft(node);
        awaitPolls(10);

        assertThat(backend.status("delayed")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void withoutGraceAndOnOneNodeTheyAreDeadAtOnce() {
        backend.put(Events.event("first", ADDED));
        node("strict")
                .delivery(settings -> settings.unroutableGrace(Duration.ZERO))
                .start();
        awaitCount(EventStatus.DEAD, 1);
        nodes.get(0).close();
        Node alone = Node.on(backend).start();
        nodes.add(alone);

        alone.write(Events.event("second", ADDED));

        awaitCount(EventStatus.DEAD, 2);
        assertThat(backend.row("second").lastError())
                .contains("No listener for event type Added: register one, then replay the event\n");
    }

    @Test
    void aLaneOfItsOwnLeavesItsEventsToo() {
        LanePolicy policy = LanePolicy.builder()
                .pollInterval(Duration.ofMillis(INTERVAL_MS))
                .build();
        Duration grace = Duration.ofSeconds(8);
        Node node = node("old")
                .delivery(settings -> settings.lane(ADDED, policy))
                .delivery(settings -> settings.unroutableGrace(grace))
                .start();
        backend.put(Events.event("added", ADDED), dueSince("old", HOUR));
        awaitLeft(node);
        awaitCount(EventStatus.DEAD, 1);
        long written = backend.rowsWritten();
        awaitPolls(5);
        assertThat(backend.rowsWritten()).isEqualTo(written);

        node.listen(ADDED, event -> DispatchResult.done());

        awaitCount(EventStatus.DONE, 1);
    }

    @Test
    void aTypeWithAListenerForAnotherAggregateTypeIsStillDelivered() {
        Node old = node("old")
                .listen("Order", ADDED, event -> DispatchResult.done())
                .start();
        for (int i = 0; i < 50; i++) {
            old.write(ofAggregate("invoice" + i, "Invoice"));
        }
        awaitLeft(old);
        long written = backend.rowsWritten();
        old.write(ofAggregate("order", "Order"));
        backend.put(ofAggregate("order too", "Order"));
        awaitCount(EventStatus.DONE, 2);
        awaitPolls(50);
        assertThat(backend.rowsWritten() - written)
                .as("a claim and a deferral now and then")
                .isLessThan(50 * 2 * 4);

        Node fresh = node("new")
                .listen("Order", ADDED, event -> DispatchResult.done())
                .listen("Invoice", ADDED, event -> DispatchResult.done())
                .start();

        awaitCount(EventStatus.DONE, 52);
        assertThat(fresh.delivered()).filteredOn(id -> id.startsWith("invoice")).hasSize(50);
        assertThat(backend.row("invoice0").attempts()).isZero();
    }

    @Test
    void aShortGraceHoldsForRoutesOfATypeWithListenersToo() {
        Node old = node("old")
                .listen("Order", ADDED, event -> DispatchResult.done())
                .delivery(settings -> settings.unroutableGrace(Duration.ofSeconds(2)))
                .start();

        old.write(ofAggregate("invoice", "Invoice"));
        awaitLeft(old);
        assertThat(backend.status("invoice")).isEqualTo(EventStatus.NEW);

        awaitCount(EventStatus.DEAD, 1);
        assertThat(backend.row("invoice").attempts()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ_BY_TYPE", "RELEASE"})
    void aStoreThatCannotDoAllLeavesThemWithoutSpinning(Capability missing) {
        backend.without(missing);
        for (int i = 0; i < 50; i++) {
            backend.put(Events.event("added" + i, ADDED));
        }
        Node node = node("old").start();
        await().until(() -> !node.engine().unavailable().isEmpty());

        awaitPolls(30);

        assertThat(backend.rowsWritten()).isLessThan(50 * 2 * 4);
        assertThat(backend.count(EventStatus.NEW)).isEqualTo(50);
        assertThat(backend.row("added0").attempts()).isZero();
    }

    @Test
    void aNodeThatIsAloneNamesTheTypesThatWaitAndThatNobodyListensToBeforeTheyAreDead() {
        backend.put(Events.event("renamed", ADDED));
        backend.put(Events.event("heard"));
        Node alone = Node.on(backend).polling(settings -> settings.intervalMs(INTERVAL_MS));
        nodes.add(alone.listen(event -> DispatchResult.done()));
        try (LogLines log = new LogLines()) {
            alone.build();
            alone.loop().start();
            await().until(() ->
                    !log.at(Level.WARNING, "this node has no listener for them").isEmpty());
            assertThat(backend.count(EventStatus.DEAD)).isZero();

            alone.engine().start();
            awaitCount(EventStatus.DEAD, 1);
            awaitCount(EventStatus.DONE, 1);

            assertThat(log.at(Level.WARNING, "this node has no listener for them"))
                    .singleElement()
                    .asString()
                    .startsWith("Events of types [" + ADDED + "] are waiting")
                    .contains("alias");
        }
    }
}
