package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.versions.Versions;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.support.Events;
import io.outbox.support.ScriptedBackend;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RoutingTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");
    private static final Duration GRACE = Duration.ofMinutes(10);

    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final Leases leases = new Leases();

    @BeforeEach
    void amongSeveralNodes() {
        leases.keepBy(new LeaseKeeper(
                new Lease("node", GRACE),
                new ScriptedBackend(),
                new OwnedEvents(new DefaultInFlightTracker()),
                new EngineMetrics(MetricsExporter.NOOP),
                () -> {}));
    }

    private Routing routing(ListenerRegistry listeners) {
        return new Routing(listeners, Versions.NONE, leases, EngineClock.of(Clock.fixed(NOW, ZoneOffset.UTC)), GRACE);
    }

    private static HeldEvent read(Duration writtenAgo, Duration dueAgo, int attempts) {
        EventEnvelope event = Events.eventAt("e", NOW.minus(writtenAgo));
        return new HeldEvent(new QueuedEvent(event, Source.COLD, attempts), null, NOW.minus(dueAgo), null);
    }

    @Test
    void theGraceOfAnEventThatIsLeftAloneBeginsWithTheDueTimeOfItsRow() {
        Routing routing = routing(registry);

        assertThat(routing.isOverdue(read(GRACE.multipliedBy(3), GRACE.minusSeconds(1), 4), false))
                .isFalse();
        assertThat(routing.isOverdue(read(GRACE.multipliedBy(3), GRACE, 4), false))
                .isTrue();
    }

    @Test
    void theGraceOfAnEventThatIsPutOffBeginsWithTheTimeItWasWrittenFor() {
        Routing routing = routing(registry);
        EventEnvelope delayed = EventEnvelope.builder(Events.TYPE)
                .occurredAt(NOW.minus(GRACE.multipliedBy(3)))
                .availableAt(NOW.minusSeconds(1))
                .payloadJson("{}")
                .build();

        assertThat(routing.isOverdue(read(GRACE.minusSeconds(1), Duration.ZERO, 0), true))
                .isFalse();
        assertThat(routing.isOverdue(read(GRACE, Duration.ZERO, 0), true)).isTrue();
        assertThat(routing.isOverdue(new HeldEvent(new QueuedEvent(delayed, Source.COLD, 0), null), true))
                .isFalse();
    }

    @Test
    void whatSomeNodeHasTriedIsPutOffAndNotJudged() {
        assertThat(routing(registry).isOverdue(read(GRACE.multipliedBy(3), GRACE, 1), true))
                .isFalse();
    }

    @Test
    void eventsArePutOffForLongerTheOlderTheyAre() {
        Routing routing = routing(registry);

        assertThat(routing.putOffUntil(read(Duration.ZERO, Duration.ZERO, 0))).isEqualTo(NOW.plusSeconds(1));
        assertThat(routing.putOffUntil(read(Duration.ofSeconds(20), Duration.ZERO, 0)))
                .isEqualTo(NOW.plusSeconds(10));
        assertThat(routing.putOffUntil(read(GRACE, Duration.ZERO, 0))).isEqualTo(NOW.plusSeconds(30));
    }

    @Test
    void aTypeWithSomeListenersIsReadLateAndOneWithoutAnyOnlyWhenTheGraceIsOver() {
        registry.register("Order", "Partly", event -> DispatchResult.done());
        Routing routing = routing(registry);

        routing.met(Events.event("a", "Partly"));
        routing.met(Events.event("b", "Unheard"));

        assertThat(routing.leastWait("Partly")).isEqualTo(Duration.ofSeconds(5));
        assertThat(routing.leastWait("Unheard")).isEqualTo(GRACE);
        assertThat(routing.leastWait("Unmet")).isZero();
        assertThat(routing.gaps()).containsOnlyKeys("Partly", "Unheard");
    }

    @Test
    void aRegistryThatCannotTellIsAskedForEachEvent() {
        Routing routing = routing((aggregateType, eventType) -> null);

        routing.met(Events.event("a"));

        assertThat(routing.leastWait(Events.TYPE)).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aRegistryThatFailsLeavesNothingToOthers() {
        Routing routing = routing(new ListenerRegistry() {
            @Override
            public EventListener listenerFor(String aggregateType, String eventType) {
                throw new IllegalStateException("broken");
            }

            @Override
            public boolean hasListenerFor(String eventType) {
                throw new IllegalStateException("broken");
            }
        });

        routing.met(Events.event("a"));

        assertThat(routing.isForOthers(Events.event("a"))).isFalse();
        assertThat(routing.gaps()).isEmpty();
    }

    @Test
    void noMoreRoutesAreKeptThanAQueryCanName() {
        Routing routing = routing(registry);

        for (int i = 0; i < 1000; i++) {
            routing.met(Events.event("e", "Type" + i));
        }

        assertThat(routing.gaps()).hasSize(100);
        assertThat(routing.unavailable()).hasSize(100);
    }
}
