package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.PayloadParseException;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who cannot read an event among several nodes does not judge it either. */
@ExtendWith(NoLeftoverThreads.class)
class UnreadableEventsTest {

    private static final EventListener OLD = event -> {
        throw new PayloadParseException("EXPRESS is not one of [STANDARD]");
    };

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void close() {
        nodes.forEach(Node::close);
    }

    private Node started(Node node, EventListener listener) {
        nodes.add(node);
        return node.metrics(metrics)
                .polling(settings -> settings.intervalMs(20))
                .listen(listener)
                .start();
    }

    private Node oneOfSeveral(String name) {
        return Node.on(backend).named(name, Duration.ofMinutes(5));
    }

    private void awaitCount(EventStatus status, int count) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(status) == count);
    }

    @Test
    void whatAnOldNodeCannotReadReachesTheNewOneUncounted() {
        try (LogLines log = new LogLines()) {
            Node old = started(oneOfSeveral("old"), OLD);
            for (int i = 0; i < 20; i++) {
                old.write(Events.event("e" + i));
            }
            await().until(() -> old.delivered().size() >= 20);

            Node fresh = started(oneOfSeveral("new"), event -> DispatchResult.done());

            awaitCount(EventStatus.DONE, 20);
            assertThat(fresh.delivered()).doesNotHaveDuplicates();
            assertThat(backend.row("e0").attempts()).isZero();
            assertThat(metrics.get("failure") + metrics.get("dead")).isZero();
            assertThat(log.at(Level.WARNING, "has a payload that this node cannot read"))
                    .hasSize(1);
        }
    }

    @Test
    void whatNoNodeHasReadForTheGraceIsDeadAndSaysWhatToDo() {
        Duration grace = Duration.ofMillis(1500);
        Node node = started(oneOfSeveral("one").delivery(settings -> settings.unroutableGrace(grace)), OLD);
        Instant writtenAt = Instant.now();
        node.write(Events.event("e"));

        awaitCount(EventStatus.DEAD, 1);

        assertThat(Duration.between(writtenAt, Instant.now())).isGreaterThanOrEqualTo(grace);
        assertThat(backend.row("e").attempts()).isZero();
        assertThat(backend.row("e").lastError())
                .startsWith(PayloadParseException.class.getName()
                        + ": EXPRESS is not one of [STANDARD]; no node has read it"
                        + " within 1500ms: fix the payload or deploy code that reads it, then replay the event");
    }

    @Test
    void aDelayedEventHasItsGraceFromWhenItIsDue() {
        backend.put(EventEnvelope.builder(Events.TYPE)
                .eventId("delayed")
                .occurredAt(Instant.now().minus(Duration.ofHours(1)))
                .availableAt(Instant.now())
                .payloadJson("{}")
                .build());
        Node node = started(oneOfSeveral("one"), OLD);
        await().until(() -> !node.delivered().isEmpty() && backend.locked() == 0);

        assertThat(backend.status("delayed")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void onASingleNodeAndWithoutGraceItIsDeadImmediately() {
        started(Node.on(backend), OLD).write(Events.event("alone"));
        awaitCount(EventStatus.DEAD, 1);
        assertThat(backend.row("alone").lastError())
                .startsWith(PayloadParseException.class.getName() + ": EXPRESS is not one of [STANDARD]")
                .doesNotContain("no node");
        nodes.get(0).close();

        started(oneOfSeveral("strict").delivery(settings -> settings.unroutableGrace(Duration.ZERO)), OLD)
                .write(Events.event("strict"));
        awaitCount(EventStatus.DEAD, 2);
    }
}
