package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.support.Race;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UlidTest {

    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final Instant START = Instant.parse("2024-05-01T12:00:00Z");

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
    private final Ulid ulids = new Ulid(clock);

    private static long millisOf(String ulid) {
        long millis = 0;
        for (char c : ulid.substring(0, 10).toCharArray()) {
            millis = millis << 5 | ALPHABET.indexOf(c);
        }
        return millis;
    }

    @Test
    void has26CharactersOfCrockfordsAlphabet() {
        for (int i = 0; i < 1000; i++) {
            assertThat(Ulid.next()).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}");
        }
    }

    @Test
    void beginsWithTheTime() {
        assertThat(millisOf(ulids.nextId())).isEqualTo(START.toEpochMilli());

        clock.now = START.plusMillis(77);
        assertThat(millisOf(ulids.nextId())).isEqualTo(START.toEpochMilli() + 77);
    }

    @Test
    void growsWithinAMillisecond() {
        List<String> ids = generate(10_000);

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void growsWhenTheClockStepsBack() {
        List<String> ids = new ArrayList<>(generate(100));
        clock.now = START.minusSeconds(3600);
        ids.addAll(generate(100));
        clock.now = START.plusMillis(1);
        ids.addAll(generate(100));

        assertThat(ids).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void carriesIntoTheTimeWhenTheRandomPartOverflows() throws Exception {
        String before = ulids.nextId();
        set("high", 0xFFFFL);
        set("low", -2L);

        String last = ulids.nextId();
        String carried = ulids.nextId();
        String next = ulids.nextId();

        assertThat(last).isEqualTo(before.substring(0, 10) + "Z".repeat(16));
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli() + 1);
        assertThat(carried).endsWith("0".repeat(16));
        assertThat(List.of(before, last, carried, next)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void carriesFromTheLowIntoTheHighRandomBits() throws Exception {
        ulids.nextId();
        set("high", 0x00FFL);
        set("low", -2L);

        String last = ulids.nextId();
        String carried = ulids.nextId();

        assertThat(carried).isGreaterThan(last);
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli());
        assertThat(carried).endsWith("0".repeat(12));
    }

    private void set(String field, long value) throws Exception {
        var declared = Ulid.class.getDeclaredField(field);
        declared.setAccessible(true);
        declared.setLong(ulids, value);
    }

    @Test
    void growsOnEachOf8ThreadsWithoutDuplicates() throws Exception {
        List<List<String>> perThread;
        try (Race race = new Race(8)) {
            perThread = race.times(8, () -> {
                List<String> ids = new ArrayList<>();
                for (int i = 0; i < 20_000; i++) {
                    ids.add(Ulid.next());
                }
                return ids;
            });
        }

        Set<String> all = new HashSet<>();
        for (List<String> ids : perThread) {
            assertThat(ids).isSorted();
            all.addAll(ids);
        }
        assertThat(all).hasSize(160_000);
    }

    @Test
    void differsBetweenSources() {
        assertThat(new Ulid(clock).nextId()).isNotEqualTo(new Ulid(clock).nextId());
    }

    private List<String> generate(int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(ulids.nextId());
        }
        return ids;
    }
}
