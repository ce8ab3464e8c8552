package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.polling.Lookout.Range;
import io.outbox.internal.polling.PageReader.ReadPage;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.PageCursor;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LookoutTest {

    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
    private static final Instant LONG_AGO = NOW.minus(Duration.ofDays(1));
    private static final Duration LATE = Duration.ofSeconds(10);
    private static final Duration RECENT = Duration.ofSeconds(1);
    private static final EventTypes OTHERS = EventTypes.except(List.of("Laned"));

    private final Store store = new Store();
    private final List<Runnable> beside = new ArrayList<>();
    private final AtomicInteger foundBehind = new AtomicInteger();
    private final Lookout lookout = new Lookout(store, foundBehind::incrementAndGet, new Beside(), () -> store.nanos);

    /** A thread that does what it is given when the test says so. */
    private final class Beside extends AbstractExecutorService {

        @Override
        public void execute(Runnable look) {
            beside.add(look);
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private void lookBeside() {
        assertThat(beside).hasSize(1);
        beside.remove(0).run();
    }

    /** A store that notes from where it is looked at, and in which a look at the front takes as long as it is told. */
    private static final class Store extends ForwardingBackend {

        private long nanos;
        private Duration frontTakes = Duration.ofMillis(1);
        private Duration otherLooksTake = Duration.ZERO;
        private RuntimeException failure;
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
            if (failure != null) {
                throw failure;
            }
            looks.add(now);
            passes(now.equals(Bound.FRONT) ? frontTakes : otherLooksTake);
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
                    || known.stream().anyMatch(type -> type.due().equals(Bound.FRONT));
            passes(atFront ? frontTakes : otherLooksTake);
            return types;
        }

        void passes(Duration time) {
            nanos += time.toNanos();
        }
    }

    private record Place(Instant due) implements PageCursor {}

    private Instant startOf(Range range) {
        return range.start() == null ? Bound.FRONT : ((Place) range.start()).due;
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
            readAtFront(Duration.ofMillis(5));
        }

        assertThat(store.looks).isEmpty();
    }

    private void readAtFront(Duration took) {
        lookout.readFirst(EventTypes.ALL, null, page(null), NOW, took.toNanos());
    }

    /** Returns a page of one event, or the last one without any. */
    private static ReadPage page(Instant first) {
        return new ReadPage(first == null ? List.of() : List.of(eventDue(first)), 0, null, null);
    }

    private static DueEvent eventDue(Instant due) {
        return new DueEvent(new OutboxEvent("e", "Old", "__GLOBAL__", null, null, "{}", null, 0, due, due), null);
    }

    /** Lets pages at the front take so long that the front is looked at, twice. */
    private void readSlowly() {
        for (int i = 0; i < 2; i++) {
            readAtFront(Duration.ofMillis(400));
            lookout.range(EventTypes.ALL, NOW);
        }
    }

    @Test
    void whileTheFrontIsDearWalksBeginWhereNothingBeforeWasPending() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();

        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(NOW.minus(RECENT));
        assertThat(lastLook()).isAfter(Bound.FRONT);

        store.first = Optional.of(NOW.minusSeconds(60));
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW)))
                .isEqualTo(NOW.minusSeconds(60).minus(RECENT));
        store.first = Optional.of(NOW.plusSeconds(60));
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(NOW.minus(RECENT));
    }

    private Instant startOfLook() {
        lookout.firstPending(NOW);
        return lastLook().plus(1, ChronoUnit.MICROS);
    }

    @Test
    void looksThatMissNoLateCommitGoBackForTenSecondsWhileThatCostsNothing() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();

        for (int i = 0; i < 5; i++) {
            assertThat(startOfLook()).isEqualTo(NOW.minus(LATE));
            assertThat(lookout.planLateLook()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void whileTheyAreDearLooksInBetweenGoBackForOneSecond() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.otherLooksTake = Duration.ofMillis(10);
        lookout.firstPending(NOW);
        lookout.firstPending(NOW);

        assertThat(startOfLook()).isEqualTo(NOW.minus(RECENT));
        assertThat(lookout.planLateLook()).isBetween(180L, 200L);
        assertThat(lookout.planLateLook()).as("planned already").isEqualTo(Long.MAX_VALUE);

        store.passes(Duration.ofMillis(200));
        assertThat(startOfLook()).as("a twentieth of the time later").isEqualTo(NOW.minus(LATE));
        assertThat(lookout.planLateLook()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatWasCommittedLateIsLookedForWithinASecondHoweverLongThatTakes() {
        store.frontTakes = Duration.ofMinutes(1);
        readSlowly();
        store.otherLooksTake = Duration.ofMillis(500);
        lookout.firstPending(NOW);
        lookout.firstPending(NOW);
        assertThat(startOfLook()).isEqualTo(NOW.minus(RECENT));

        store.passes(Duration.ofSeconds(1));

        assertThat(startOfLook()).isEqualTo(NOW.minus(LATE));
    }

    @Test
    void aLookThatDidNotGoFarBackHidesNothingFromTheNextThatDoes() {
        store.frontTakes = Duration.ofMinutes(1);
        readSlowly();
        store.otherLooksTake = Duration.ofMillis(500);
        lookout.firstPending(NOW);
        lookout.firstPending(NOW);
        lookout.firstPending(NOW.plusSeconds(30));
        store.passes(Duration.ofSeconds(1));

        assertThat(startOfLook()).isEqualTo(NOW.minus(LATE));
    }

    @Test
    void theSameHoldsForLooksByType() {
        store.frontTakes = Duration.ofMillis(400);
        pending(new DueType("Old", null));
        lookout.byType(NOW);
        lookout.byType(NOW);
        store.otherLooksTake = Duration.ofMillis(10);
        lookout.byType(NOW);
        lookout.byType(NOW);
        lookout.byType(NOW);
        assertThat(store.looksByType.get(4)).containsExactly(new DueType("Old", NOW.minus(RECENT)));

        store.passes(Duration.ofMillis(200));
        lookout.byType(NOW);

        assertThat(store.looksByType.get(5)).containsExactly(new DueType("Old", NOW.minus(LATE)));
    }

    @Test
    void theFrontIsLookedAtAgainForATwentiethOfTheTime() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();

        store.passes(Duration.ofMillis(20 * 400 - 1));
        lookout.range(EventTypes.ALL, NOW);
        assertThat(beside).isEmpty();

        store.passes(Duration.ofMillis(1));
        lookout.range(EventTypes.ALL, NOW);
        lookBeside();
        assertThat(lastLook()).isEqualTo(Bound.FRONT);

        store.passes(Duration.ofMillis(20 * 400 - 1));
        lookout.range(EventTypes.ALL, NOW);
        assertThat(beside).isEmpty();
    }

    @Test
    void readingDoesNotWaitForALookAtAFrontThatIsDear() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.passes(Duration.ofMinutes(1));
        lookout.range(EventTypes.ALL, NOW);
        lookout.range(EventTypes.ALL, NOW);
        assertThat(lastLook())
                .as("while another look at the front is under way")
                .isAfter(Bound.FRONT);

        store.first = Optional.of(LONG_AGO);
        lookBeside();

        assertThat(foundBehind).hasValue(1);
        assertThat(startOf(lookout.range(EventTypes.ALL, NOW))).isEqualTo(LONG_AGO.minus(RECENT));
    }

    @Test
    void aLookAtTheFrontThatFindsNothingNewWakesNobody() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.passes(Duration.ofMinutes(1));
        store.first = Optional.of(NOW.minusSeconds(5));
        lookout.range(EventTypes.ALL, NOW);

        lookBeside();

        assertThat(foundBehind).hasValue(0);
    }

    @Test
    void aFailedLookAtTheFrontIsMadeUpForAMinuteLater() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.passes(Duration.ofMinutes(1));
        lookout.range(EventTypes.ALL, NOW);
        store.failure = new IllegalStateException("no connection");
        lookBeside();
        store.failure = null;

        lookout.range(EventTypes.ALL, NOW);
        assertThat(beside).isEmpty();
        store.passes(Duration.ofMinutes(1));
        lookout.range(EventTypes.ALL, NOW);

        lookBeside();
        assertThat(lastLook()).isEqualTo(Bound.FRONT);
    }

    @Test
    void theFrontIsLookedAtOnceAMinuteHoweverLongThatTakes() {
        store.frontTakes = Duration.ofSeconds(30);
        readSlowly();
        store.passes(Duration.ofMinutes(1));

        lookout.range(EventTypes.ALL, NOW);

        lookBeside();
        assertThat(lastLook()).isEqualTo(Bound.FRONT);
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

        assertThat(store.looks).containsOnly(Bound.FRONT);
    }

    @Test
    void whenTheFrontIsCheapAgainItIsReadAsBefore() {
        store.frontTakes = Duration.ofMillis(400);
        readSlowly();
        store.frontTakes = Duration.ofMillis(1);
        store.passes(Duration.ofMinutes(1));
        lookout.range(EventTypes.ALL, NOW);
        lookBeside();

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
        assertThat(startOf(range)).isEqualTo(NOW.minusSeconds(60).minus(RECENT));
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

        assertThat(startOf(lookout.range(EventTypes.only("Laned"), NOW))).isEqualTo(LONG_AGO.minus(RECENT));
        assertThat(startOf(lookout.range(EventTypes.only("Old"), NOW))).isEqualTo(NOW.minus(RECENT));
        assertThat(lookout.range(EventTypes.only("Unknown"), NOW).start()).isNull();
        lookout.range(OTHERS, NOW);
        assertThat(store.looksByType.get(2))
                .containsExactly(new DueType("Laned", LONG_AGO.minus(LATE)), new DueType("Old", NOW.minus(LATE)));
    }

    /** The store wants the names of known types in the order of its index. */
    @Test
    void aTypeThatALookBesideFindsFirstIsLeftToTheNextLook() {
        store.frontTakes = Duration.ofMillis(400);
        pending(new DueType("Old", NOW));
        lookout.byType(NOW);
        lookout.byType(NOW);
        store.passes(Duration.ofMinutes(1));
        lookout.byType(NOW);

        pending(new DueType("New", NOW), new DueType("Old", LONG_AGO));
        lookBeside();
        lookout.byType(NOW);

        assertThat(store.looksByType.get(store.looksByType.size() - 1))
                .containsExactly(new DueType("Old", LONG_AGO.minus(LATE)));
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

    // Without an index by type

    /** Begins a walk that leaves a type out, and reads its first page; returns where it begins. */
    private Instant walk(EventTypes types, Instant first, Duration took) {
        Range range = lookout.range(types, NOW);
        store.passes(took);
        lookout.readFirst(types, range.start(), page(first), NOW, took.toNanos());
        return startOf(range);
    }

    private void storeCannotTellTypes() {
        store.types = new DueTypes(List.of(new DueType("Laned", LONG_AGO)), false);
    }

    @Test
    void aWalkThatLeavesTypesOutBeginsWhereTheLastOneFoundItsFirstEvent() {
        storeCannotTellTypes();
        Duration dear = Duration.ofMillis(400);
        Instant first = NOW.minusSeconds(30);

        assertThat(walk(OTHERS, first, dear)).isEqualTo(Bound.FRONT);
        assertThat(walk(OTHERS, first, dear)).as("not slow by chance").isEqualTo(Bound.FRONT);
        assertThat(walk(OTHERS, null, Duration.ZERO)).isEqualTo(first.minus(LATE));
        assertThat(walk(OTHERS, null, Duration.ZERO)).isEqualTo(NOW.minus(LATE));
        assertThat(walk(EventTypes.except(List.of("Laned", "Other")), null, dear))
                .as("another choice")
                .isEqualTo(Bound.FRONT);

        store.passes(dear.multipliedBy(20));
        assertThat(walk(OTHERS, null, dear)).as("a twentieth of the time").isEqualTo(Bound.FRONT);
    }

    @Test
    void suchAWalkBeginsAtTheVeryFrontOnceAMinuteHoweverDearThatIs() {
        storeCannotTellTypes();
        Duration veryDear = Duration.ofSeconds(30);
        walk(OTHERS, null, veryDear);
        walk(OTHERS, null, veryDear);

        assertThat(walk(OTHERS, null, Duration.ofSeconds(59))).isEqualTo(NOW.minus(LATE));
        assertThat(walk(OTHERS, null, Duration.ofSeconds(1))).isEqualTo(NOW.minus(LATE));
        assertThat(walk(OTHERS, null, veryDear)).isEqualTo(Bound.FRONT);
    }

    @Test
    void suchAWalkBeginsAtTheVeryFrontWhileThatIsCheap() {
        storeCannotTellTypes();

        for (int i = 0; i < 5; i++) {
            assertThat(walk(OTHERS, null, Duration.ofMillis(1))).isEqualTo(Bound.FRONT);
            store.passes(Duration.ofSeconds(1));
        }
    }

    @Test
    void aPageFromWhichOthersHaveTakenEverythingTellsNothing() {
        storeCannotTellTypes();
        Duration dear = Duration.ofMillis(400);
        Instant first = NOW.minusSeconds(30);
        walk(OTHERS, first, dear);
        walk(OTHERS, first, dear);

        Range range = lookout.range(OTHERS, NOW);
        lookout.readFirst(OTHERS, range.start(), new ReadPage(List.of(), 0, null, new Place(NOW)), NOW, 0);

        assertThat(startOf(lookout.range(OTHERS, NOW))).isEqualTo(first.minus(LATE));
    }

    @Test
    void aWalkThatTakesOverWhatOthersHeldBeginsAtTheVeryFront() {
        storeCannotTellTypes();
        Duration dear = Duration.ofMillis(400);
        walk(OTHERS, null, dear);
        walk(OTHERS, null, dear);
        assertThat(walk(OTHERS, null, Duration.ZERO)).isEqualTo(NOW.minus(LATE));

        lookout.forgetFront(OTHERS);

        assertThat(walk(OTHERS, null, dear)).isEqualTo(Bound.FRONT);
        assertThat(walk(OTHERS, null, dear)).isEqualTo(NOW.minus(LATE));
    }

    @Test
    void whatAWalkOfAnotherChoiceHasReadTellsNothing() {
        storeCannotTellTypes();
        walk(OTHERS, LONG_AGO, Duration.ofMillis(400));
        walk(OTHERS, LONG_AGO, Duration.ofMillis(400));
        lookout.range(OTHERS, NOW);

        lookout.readFirst(OTHERS, new Place(NOW), page(null), NOW, 0);

        assertThat(startOf(lookout.range(OTHERS, NOW))).isEqualTo(LONG_AGO.minus(LATE));
    }
}
