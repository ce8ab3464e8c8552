package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A series passes everything on, and knows what happened in each slot. */
class OutboxSeriesTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2025-06-01T12:00:05Z"), ZoneOffset.UTC);

    @Test
    void passesEveryMethodOn() throws Exception {
        List<String> called = new ArrayList<>();
        MetricsExporter next = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    called.add(method.getName());
                    return null;
                });
        OutboxSeries series = OutboxSeries.around(next, CLOCK);
        List<String> all = new ArrayList<>();
        for (Method method : MetricsExporter.class.getMethods()) {
            method.invoke(
                    series,
                    Stream.of(method.getParameterTypes())
                            .map(OutboxSeriesTest::zero)
                            .toArray());
            all.add(method.getName());
        }

        assertThat(called).isEqualTo(all);
    }

    private static Object zero(Class<?> type) {
        if (type == long.class) {
            return 0L;
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == EventStatus.class) {
            return EventStatus.DONE;
        }
        return type == int.class ? 0 : null;
    }

    @Test
    void aMinuteHasWhatBecameOfEachTypeAndHowLongItWaited() {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP, CLOCK);
        for (int i = 1; i <= 100; i++) {
            series.recordDispatchLatency("Placed", i * 1_000_000L);
        }
        series.recordOutcome("Placed", EventStatus.DONE);
        series.recordOutcome("Placed", EventStatus.RETRY);
        series.recordOutcome("Paid", EventStatus.DEAD);
        series.recordOutcome("Paid", EventStatus.NEW);
        series.recordQueueDepths(7, 3);
        series.recordQueueDepths(2, 4);
        series.recordOldestLagMs(9);

        assertThat(series.takeWhole()).as("a minute that has only begun").isEmpty();
        assertThat(series.done()).isOne();
        List<OutboxSeries.Minute> minutes = series.takeAll();

        assertThat(minutes).hasSize(1);
        assertThat(minutes.get(0).number()).isEqualTo(CLOCK.instant().getEpochSecond() / 60);
        Figures figures = Figures.parse(minutes.get(0).figures().json());
        assertThat(figures.types().keySet()).containsExactly("Placed", "Paid");
        Figures.OfType placed = figures.known("Placed");
        assertThat(List.of(placed.done(), placed.failed(), placed.dead())).containsExactly(1L, 1L, 0L);
        assertThat(figures.known("Paid").dead()).isOne();
        assertThat(placed.waits().percentile(0.5)).isBetween(45L, 55L);
        assertThat(placed.waits().percentile(0.95)).isBetween(86L, 105L);
        assertThat(List.of(figures.lagMs(), (long) figures.hotQueue(), (long) figures.coldQueue()))
                .containsExactly(9L, 7L, 4L);
    }

    @Test
    void minutesInWhichNothingHappenedAreKnownAndNoMinuteIsTakenTwice() {
        Instant[] now = {CLOCK.instant()};
        Clock clock = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return now[0];
            }
        };
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP, clock);
        now[0] = now[0].plusSeconds(120);

        assertThat(series.takeWhole())
                .hasSize(2)
                .allMatch(minute -> minute.figures().isEmpty());
        assertThat(series.takeWhole()).isEmpty();
    }

    @Test
    void aMinuteOfManyTypesStaysSmall() {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP, CLOCK);
        for (int i = 0; i < 10_000; i++) {
            series.recordOutcome("Type-" + i % 500, EventStatus.DONE);
            series.recordDispatchLatency("Type-" + i % 500, i % 97 * 1_000_000L);
        }

        Figures figures = series.takeAll().get(0).figures();

        assertThat(figures.total().done()).isEqualTo(10_000);
        assertThat(figures.types()).hasSize(41);
        assertThat(figures.json().length()).isLessThan(8_000);
    }

    private static Figures figures(int firstType, int endType) {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP, CLOCK);
        for (int i = firstType; i < endType; i++) {
            series.recordOutcome("Type-" + i, EventStatus.DONE);
        }
        return Figures.parse(series.takeAll().get(0).figures().json());
    }

    @Test
    void aTypeThatMayBeAmongTheOthersIsUnknownAndOneThatDidNothingIsZero() {
        Figures few = figures(0, 30);
        Figures many = figures(0, 60);

        assertThat(few.known("Type-59").done()).isZero();
        assertThat(many.known("Type-39").done()).isOne();
        assertThat(many.known("Type-59")).isNull();
        assertThat(Figures.known(List.of(few, many), "Type-0").done()).isEqualTo(2);
        assertThat(Figures.known(List.of(few, many), "Type-59"))
                .as("one of both does not tell")
                .isNull();
    }

    @Test
    void figuresOfTwoNodesKeepAllTheirTypesTogether() {
        Figures both = new Figures();
        both.addBeside(figures(0, 30));
        both.addBeside(figures(30, 60));

        assertThat(both.types()).hasSize(60);
        assertThat(both.known("Type-59").done()).isOne();
    }

    @Test
    void aQuarterOfAnHourOfManyTypesStaysSmall() {
        Figures quarter = new Figures();
        quarter.addForRow(figures(0, 40));
        quarter.addForRow(figures(40, 80));

        assertThat(quarter.types()).hasSize(41);
        assertThat(quarter.total().done()).isEqualTo(80);
        assertThat(quarter.known("Type-79")).isNull();
    }
}
