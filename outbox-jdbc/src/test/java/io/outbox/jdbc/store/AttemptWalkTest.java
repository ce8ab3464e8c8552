package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.store.Attempts.Place;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptWalkTest {

    private static final Instant TIME = Instant.parse("2025-01-01T00:00:00Z");
    private static final Place FIRST = new Place(TIME, "1");
    private static final Place SECOND = new Place(TIME, "2");
    private static final Place THIRD = new Place(TIME, "3");

    private long nanos;
    private Place from;
    private final AttemptWalk walk = new AttemptWalk(() -> nanos);

    /** Takes a step of up to two, which finds these. */
    private int step(Place... found) {
        return walk.step(
                place -> {
                    from = place;
                    nanos += 1_000;
                    return List.of(found);
                },
                2);
    }

    @Test
    void eachStepGoesOnWhereTheLastOneStopped() {
        assertThat(step(FIRST, SECOND)).isEqualTo(2);
        assertThat(from).isEqualTo(Place.START);
        assertThat(step(THIRD)).isEqualTo(1);
        assertThat(from).isEqualTo(SECOND);
    }

    @Test
    void fromTheEndOnItFollowsWhatGrowsOldAndBeginsAgainAfterARest() {
        step(FIRST, SECOND);
        step();
        step(THIRD);
        assertThat(from).isEqualTo(SECOND);

        nanos += 199_000; // with the step before, a hundred times the 2,000 that the way took
        step();
        assertThat(from).isEqualTo(THIRD);
        step();
        assertThat(from).isEqualTo(Place.START);
    }
}
