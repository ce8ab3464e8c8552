package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.support.Race;
import java.lang.reflect.Field;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What ids of every kind have in common. */
abstract class TimeOrderedIdsContract {

    static final Instant START = Instant.parse("2024-05-01T12:00:00Z");

    /** A clock that stands where the test sets it. */
    private static final class SetClock extends Clock {
        private volatile Instant now = START;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final SetClock clock = new SetClock();
    private final Function<Clock, TimeOrderedIds> sources;
    private final Supplier<String> shared;
    final TimeOrderedIds ids;

    TimeOrderedIdsContract(Function<Clock, TimeOrderedIds> sources, Supplier<String> shared) {
        this.sources = sources;
        this.shared = shared;
        this.ids = sources.apply(clock);
    }

    abstract long millisOf(String id);

    @Test
    void beginsWithTheTime() {
        assertThat(millisOf(ids.nextId())).isEqualTo(START.toEpochMilli());

        clock.now = START.plusMillis(77);
        assertThat(millisOf(ids.nextId())).isEqualTo(START.toEpochMilli() + 77);
    }

    @Test
    void growsWithinAMillisecond() {
        assertThat(generate(10_000)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void growsWhenTheClockStepsBack() {
        List<String> generated = new ArrayList<>(generate(100));
        clock.now = START.minusSeconds(3600);
        generated.addAll(generate(100));
        clock.now = START.plusMillis(1);
        generated.addAll(generate(100));

        assertThat(generated).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void growsOnEachOf8ThreadsWithoutDuplicates() throws Exception {
        List<List<String>> perThread;
        try (Race race = new Race(8)) {
            perThread = race.times(8, () -> {
                List<String> generated = new ArrayList<>();
                for (int i = 0; i < 20_000; i++) {
                    generated.add(shared.get());
                }
                return generated;
            });
        }

        Set<String> all = new HashSet<>();
        for (List<String> generated : perThread) {
            assertThat(generated).isSorted();
            all.addAll(generated);
        }
        assertThat(all).hasSize(160_000);
    }

    @Test
    void differsBetweenSources() {
        assertThat(sources.apply(clock).nextId())
                .isNotEqualTo(sources.apply(clock).nextId());
    }

    private List<String> generate(int count) {
        List<String> generated = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            generated.add(ids.nextId());
        }
        return generated;
    }

    /** Puts the random part where it cannot be waited for to come. */
    void setRandomPart(long high, long low) throws Exception {
        set("high", high);
        set("low", low);
    }

    private void set(String name, long value) throws Exception {
        Field field = TimeOrderedIds.class.getDeclaredField(name);
        field.setAccessible(true);
        field.setLong(ids, value);
    }
}
