package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.polling.Lookout.Range;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.PageCursor;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LookoutTest {

    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
    private static final Instant LONG_AGO = NOW.minus(Duration.ofDays(1));
    private static final Duration MARGIN = Duration.ofSeconds(10);
    private static final EventTypes OTHERS = EventTypes.except(List.of("Laned"));

    private final Store store = new Store();
    private final Lookout lookout = new Lookout(store, () -> store.nanos);

    /** A store that notes from where it is looked at, and in which a look at the front takes as long as it is told. */
    private static final class Store extends ForwardingBackend {

        private long nanos;
        private Duration frontTakes = Duration.ofMillis(1);
        private Optional<Instant> first = Optional.empty();
        private DueTypes types = new DueTypes(List.of(), true);
        private final List<Instant> looks = new ArrayList<>();
        private final List<List<DueType>> looksByType = new ArrayList<>();

        private Store() {
            this(new ScriptedBackend());
        }

        private Store(OutboxBackend backend) {
            super(backend, backend, backend);
        }

        @Override
        public Optional<Instant> nextDueAt(Instant now) {
            looks.add(now);
            nanos += now.equals(Lookout.FRONT) ? frontTakes.toNanos() : 0;
            return first;
        }

        @Override
        public PageCursor placeOf(Instant due) {
            return new Place(due);
        }

        @Override
        public DueTypes lookByType(List<DueType> known, Instant from) {
            looksByType.add(known);
            boolean atFront = known.isEmpty()
                    || known.stream().anyMatch(type -> type.due().equals(Lookout.FRONT));
            nanos += atFront ? frontTakes.toNanos() : 0;
            return types;
        }

        void passes(Duration time) {
            nanos += time.toNanos();
        }
    }

    private record Place(Instant due) implements PageCursor {}

    private Instant startOf(Range range) {
        return range.start() == null ? Lookout.FRONT : ((Place) range.start()).due;
    }

    private Instant lastLook() {
        return store.looks.get(store.looks.size() - 1);
    }

    // From when on

    @Test
    void allTypesAreReadFromTheFrontWithoutALook() {
        for (int i = 0; i < 5; i++) {
            Range range = lookout.range(EventTypes.ALL, NOW);
            assertThat(range.within(EventTypes.ALL).isAll()).isTrue();
            assertThat(range.start()).isNull();
            lookout.readAtFront(Duration.ofMillis(5).toNanos());
        }

        assertThat(store.looks).isEmpty();
    }

    /** Lets pages at the front take so long that the front is looked at, twice. */
    private void readSlowly() {
        for (int i = 0; i < 2; i++) {
            lookout.readAtFront(Duration.ofMillis(400).toNanos());
            lookout.range(EventTypes.ALL, NOW);
        }
    }

    @Test
    void whileTheFrontIsDearWalksBeginWhereNothingBeforeWasPending() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();

        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(NOW.minus(MARGIN));
        assertThat(lastLook()).isAfter(Lookout.FRONT);

        store.first = Optional.of(NOW.minusSeconds(60));
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW)))
                .isEqualTo(NOW.minusSeconds(60).minus(MARGIN));
        store.first = Optional.of(NOW.plusSeconds(60));
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(NOW.minus(MARGIN));
    }

    @Test
    void theFrontIsLookedAtAgainForATwentiethOfTheTime() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();

        store.passes(Duration.ofMillis(20 * 400 - 1));
        lookout.range(EventTypes.ALL, NOW);
        assertThat(lastLook()).isAfter(Lookout.FRONT);

        store.passes(Duration.ofMillis(1));
        store.first = Optional.of(LONG_AGO);
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(LONG_AGO.minus(MARGIN));
        assertThat(lastLook()).isEqualTo(Lookout.FRONT);
    }

    @Test
    void theFrontIsLookedAtOnceAMinuteHoweverLongThatTakes() {
        store.frontTakes = Duration.ofSeconds(30);
        readSlowly();
        store.passes(Duration.ofMinutes(1));

        lookout.range(EventTypes.ALL, NOW);

        assertThat(lastLook()).isEqualTo(Lookout.FRONT);
    }

    @Test
    void aSingleSlowLookDoesNotCount() {
        store.frontTakes = Duration.ofSeconds(1);
        lookout.firstPending(NOW);
        store.frontTakes = Duration.ofMillis(1);
        store.passes(Duration.ofMillis(1));
        lookout.firstPending(NOW);
        store.passes(Duration.ofMillis(20));

        lookout.firstPending(NOW);

        assertThat(store.looks).containsOnly(Lookout.FRONT);
    }

    @Test
    void whenTheFrontIsCheapAgainItIsReadAsBefore() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.frontTakes = Duration.ofMillis(1);
        store.passes(Duration.ofMinutes(1));
        lookout.range(EventTypes.ALL, NOW);

        assertThat(lookout.range(EventTypes.ALL, NOW).start()).isNull();
    }

    // Which types

    private void pending(DueType... types) {
        store.types = new DueTypes(List.of(types), true);
    }

    @Test
    void severalTypesAreReadByNameThoseThatAreWantedAndDue() {
        pending(
                new DueType("Young", NOW.minusSeconds(1)),
                new DueType("Laned", LONG_AGO),
                new DueType("Old", NOW.minusSeconds(60)),
                new DueType("Later", NOW.plusSeconds(1)),
                new DueType("Finished", null));

        Range range = lookout.range(OTHERS, NOW);

        assertThat(range.within(OTHERS)).isEqualTo(new EventTypes(List.of("Old", "Young"), false));
        assertThat(startOf(range)).isEqualTo(NOW.minusSeconds(60).minus(MARGIN));
        assertThat(range.within(EventTypes.except(List.of("Laned", "Old"))))
                .as("a choice that has changed since")
                .isEqualTo(EventTypes.only("Young"));
    }

    @Test
    void nothingIsReadIfNothingThatIsWantedIsDue() {
        pending(new DueType("Laned", LONG_AGO), new DueType("Later", NOW.plusSeconds(1)));

        assertThat(lookout.range(OTHERS, NOW).within(OTHERS).isNone()).isTrue();
    }

    @Test
    void eachWalkBeginsWithALook() {
        lookout.range(OTHERS, NOW);
        pending(new DueType("New", NOW));

        assertThat(lookout.range(OTHERS, NOW).within(OTHERS)).isEqualTo(EventTypes.only("New"));
    }

    @Test
    void ofManyTypesThoseWithTheOldestEventsAreReadFirst() {
        store.types = new DueTypes(
                IntStream.range(0, 300)
                        .mapToObj(i -> new DueType("Type" + i, NOW.minusSeconds(i)))
                        .toList(),
                true);

        assertThat(lookout.range(OTHERS, NOW).within(OTHERS).names())
                .hasSize(100)
                .startsWith("Type299")
                .endsWith("Type200");
    }

    @Test
    void aTypeIsReadFromItsOwnBoundWhileTheFrontIsDear() {
        store.frontTakes = Duration.ofMillis(400);
        pending(new DueType("Laned", LONG_AGO), new DueType("Old", null));
        lookout.range(OTHERS, NOW);
        assertThat(lookout.range(EventTypes.only("Laned"), NOW).start()).isNull();
        lookout.range(OTHERS, NOW);

        assertThat(startOf(lookout.range(EventTypes.only("Laned"), NOW))).isEqualTo(LONG_AGO.minus(MARGIN));
        assertThat(startOf(lookout.range(EventTypes.only("Old"), NOW))).isEqualTo(NOW.minus(MARGIN));
        assertThat(lookout.range(EventTypes.only("Unknown"), NOW).start()).isNull();
        lookout.range(OTHERS, NOW);
        assertThat(store.looksByType.get(2))
                .containsExactly(new DueType("Laned", LONG_AGO.minus(MARGIN)), new DueType("Old", NOW.minus(MARGIN)));
    }

    @Test
    void aStoreThatCannotTellAllTypesIsReadByLeavingOthersOut() {
        store.types = new DueTypes(List.of(new DueType("Laned", LONG_AGO)), false);

        for (int i = 0; i < 3; i++) {
            assertThat(lookout.range(OTHERS, NOW).within(OTHERS)).isEqualTo(OTHERS);
        }
        assertThat(store.looksByType).hasSize(1);

        store.passes(Duration.ofMinutes(1));
        pending(new DueType("New", NOW));
        assertThat(lookout.range(OTHERS, NOW).within(OTHERS)).isEqualTo(EventTypes.only("New"));
    }
}
