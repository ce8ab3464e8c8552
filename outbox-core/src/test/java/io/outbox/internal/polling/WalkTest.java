package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.polling.Lookout.Range;
import io.outbox.spi.EventTypes;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which types a walk has passed through. */
class WalkTest {

    private static final EventTypes ONE = EventTypes.only("One");
    private static final EventTypes ALL_BUT_ONE = EventTypes.except(List.of("One"));
    private static final Range AS_THEY_ARE = new Range(null, null);

    private final Walk walk = new Walk(60_000);
    private EventTypes ofFeed;

    private final PollFeed feed = new PollFeed() {
        @Override
        public EventTypes types() {
            return ofFeed;
        }

        @Override
        public int availableCapacity() {
            return 1;
        }

        @Override
        public void whenCapacityFrees(Runnable action) {}
    };

    private void begin(EventTypes types, Range range) {
        ofFeed = types;
        walk.begin(Instant.EPOCH, types, range);
        walk.types(feed);
    }

    @Test
    void itCoversTheTypesOfItsFeed() {
        begin(EventTypes.ALL, AS_THEY_ARE);
        assertThat(List.of(EventTypes.ALL, ALL_BUT_ONE, ONE)).allMatch(walk::hasCovered);

        begin(ALL_BUT_ONE, AS_THEY_ARE);
        assertThat(List.of(ALL_BUT_ONE, EventTypes.only("Two"), EventTypes.except(List.of("One", "Two"))))
                .allMatch(walk::hasCovered);
        assertThat(List.of(EventTypes.ALL, ONE, EventTypes.except(List.of("Two"))))
                .noneMatch(walk::hasCovered);

        begin(ONE, AS_THEY_ARE);
        assertThat(walk.hasCovered(ONE)).isTrue();
        assertThat(List.of(EventTypes.ALL, ALL_BUT_ONE, EventTypes.only("Two"))).noneMatch(walk::hasCovered);
    }

    @Test
    void itDoesNotCoverWhatOneOfItsPagesLeavesOut() {
        begin(EventTypes.ALL, AS_THEY_ARE);
        ofFeed = ALL_BUT_ONE;
        walk.types(feed);
        ofFeed = EventTypes.ALL;
        walk.types(feed);

        assertThat(walk.hasCovered(ONE)).isFalse();
        assertThat(walk.hasCovered(ALL_BUT_ONE)).isTrue();
    }

    @Test
    void aFeedWithoutTypesCoversNone() {
        begin(new EventTypes(List.of(), false), Range.NOTHING);

        assertThat(walk.hasCovered(ONE)).isFalse();
    }

    @Test
    void ofTheTypesThatALookHasFoundAllAreCoveredUnlessThereWereTooMany() {
        begin(ALL_BUT_ONE, new Range(List.of("Two"), null));
        assertThat(walk.hasCovered(EventTypes.only("Three")))
                .as("nothing of it is due")
                .isTrue();

        List<String> many = IntStream.range(0, 100).mapToObj(i -> "Type" + i).toList();
        begin(ALL_BUT_ONE, new Range(many, null));
        assertThat(walk.hasCovered(EventTypes.only("Three"))).isFalse();
        assertThat(walk.hasCovered(EventTypes.only("Type7"))).isTrue();
    }
}
