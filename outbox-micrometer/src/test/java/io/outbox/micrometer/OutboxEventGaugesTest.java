package io.outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.outbox.model.EventCount;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OutboxEventGaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final List<EventCount> stored = new ArrayList<>();
    private final AtomicInteger queries = new AtomicInteger();

    private OutboxEventGauges gauges(Duration ttl) {
        return gauges(ttl, List.of("Placed"));
    }

    private OutboxEventGauges gauges(Duration ttl, List<String> eventTypes) {
        return new OutboxEventGauges(
                registry,
                "outbox",
                () -> {
                    queries.incrementAndGet();
                    return List.copyOf(stored);
                },
                List.of(ttl, ttl, ttl),
                eventTypes);
    }

    private double value(String name, String... tags) {
        return registry.get(name).tags(Tags.of(tags)).gauge().value();
    }

    @Test
    void countsAllByStatusAndByTypeAndStatus() {
        gauges(Duration.ZERO);
        assertThat(value("outbox.events")).isZero();
        stored.add(new EventCount("Placed", 3, 2));
        stored.add(new EventCount("Paid", 10, 0));
        assertThat(value("outbox.events")).isEqualTo(15);
        assertThat(value("outbox.events.by.status", "status", "pending")).isEqualTo(13);
        assertThat(value("outbox.events.by.status", "status", "in_process")).isEqualTo(2);
        String byType = "outbox.events.by.event.type.and.status";
        assertThat(value(byType, "event.type", "Placed", "status", "pending")).isEqualTo(3);
        assertThat(value(byType, "event.type", "Placed", "status", "in_process"))
                .isEqualTo(2);
        assertThat(value(byType, "event.type", "Paid", "status", "pending"))
                .as("a type that is counted gets gauges")
                .isEqualTo(10);
    }

    @Test
    void tagsTellTheGaugesOfOneOutboxFromThoseOfAnother() {
        for (String outbox : List.of("orders", "billing")) {
            new OutboxEventGauges(
                    registry,
                    "outbox",
                    Tags.of("outbox", outbox),
                    () -> List.of(new EventCount("Placed", outbox.length(), 0)),
                    List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO),
                    List.of());
        }

        assertThat(value("outbox.events", "outbox", "orders")).isEqualTo(6);
        assertThat(value("outbox.events", "outbox", "billing")).isEqualTo(7);
    }

    @Test
    void typesGetGaugesOnceTheyAreCountedThoughNoneIsNamedAtFirst() {
        gauges(Duration.ZERO, List.of());
        stored.add(new EventCount("Paid", 10, 0));
        assertThat(value("outbox.events")).isEqualTo(10);
        assertThat(value("outbox.events.by.event.type.and.status", "event.type", "Paid", "status", "pending"))
                .isEqualTo(10);
    }

    @Test
    void addsUpTheCountsOfSeveralOutboxes() {
        gauges(Duration.ZERO);
        stored.add(new EventCount("Placed", 3, 2));
        stored.add(new EventCount("Placed", 4, 1));
        assertThat(value("outbox.events.by.event.type.and.status", "event.type", "Placed", "status", "pending"))
                .isEqualTo(7);
    }

    @Test
    void asksOnceWithinTheTimeToLive() {
        gauges(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            assertThat(value("outbox.events")).isZero();
            stored.add(new EventCount("Placed", 1, 0));
        }
        assertThat(queries).hasValue(1);
        value("outbox.events.by.status", "status", "pending");
        value("outbox.events.by.status", "status", "in_process");
        assertThat(queries)
                .as("each kind of gauge has a time to live of its own")
                .hasValue(2);
    }

    @Test
    void isNotANumberWhileTheQueryFails() {
        new OutboxEventGauges(
                registry,
                "outbox",
                () -> {
                    throw new IllegalStateException("no database");
                },
                List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO),
                List.of());
        assertThat(value("outbox.events")).isNaN();
    }

    @Test
    void doesNotAskADatabaseThatIsDownForEachGauge() {
        new OutboxEventGauges(
                registry,
                "outbox",
                () -> {
                    queries.incrementAndGet();
                    throw new IllegalStateException("no database");
                },
                List.of(Duration.ZERO, Duration.ofHours(1), Duration.ZERO),
                List.of());
        assertThat(value("outbox.events.by.status", "status", "pending")).isNaN();
        assertThat(value("outbox.events.by.status", "status", "in_process")).isNaN();
        assertThat(queries).hasValue(1);
    }

    @Test
    void removesItsGauges() {
        gauges(Duration.ZERO).close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void needsATimeToLiveForEachKind() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new OutboxEventGauges(registry, "outbox", List::of, List.of(Duration.ZERO), List.of()))
                .withMessageContaining("3");
    }
}
