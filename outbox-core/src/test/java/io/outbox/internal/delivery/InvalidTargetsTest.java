package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.InvalidTargetException;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class InvalidTargetsTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration BACKOFF = Duration.ofMinutes(10);

    private Instant now = START;
    private final InvalidTargets targets = new InvalidTargets(EngineClock.of(new Clock() {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneOffset getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(java.time.ZoneId zone) {
            return this;
        }
    }));

    private void fail(String eventType, String eventId, String topic) {
        targets.failed(
                eventType,
                new Outcome.Failed(eventId, now.plus(BACKOFF), 0, 5, "no"),
                new InvalidTargetException("topic " + topic, "there is no topic " + topic));
    }

    @Test
    void areShownWithTheirReasonOneEntryPerType() {
        fail("placed", "1", "a");
        now = now.plusSeconds(1);
        fail("placed", "2", "b");
        fail("shipped", "3", "c");

        assertThat(targets.unavailable())
                .containsExactly(
                        new UnavailableTarget(
                                "placed", START, "Only events for topic b: there is no topic b; and for topic a"),
                        new UnavailableTarget(
                                "shipped", START.plusSeconds(1), "Only events for topic c: there is no topic c"));
    }

    @Test
    void ofManyAreNamedAFew() {
        for (int i = 0; i < 1_000; i++) {
            now = now.plusMillis(1);
            fail("placed", "id-" + i, "t" + i);
        }

        assertThat(targets.unavailable())
                .singleElement()
                .extracting(UnavailableTarget::cause)
                .isEqualTo("Only events for topic t99: there is no topic t99;"
                        + " and for topic t98, topic t97, topic t96 and 96 more");
    }

    @Test
    void oneIsForgottenWhenAnEventGetsThrough() {
        fail("placed", "1", "a");
        fail("placed", "2", "a");
        targets.delivered("other");
        assertThat(targets.unavailable()).hasSize(1);

        targets.delivered("1");

        assertThat(targets.unavailable()).isEmpty();
    }

    @Test
    void oneIsShownUntilItsEventsWereDueAgain() {
        fail("placed", "1", "a");

        now = START.plus(BACKOFF);
        assertThat(targets.unavailable()).hasSize(1);
        now = START.plus(BACKOFF).plusSeconds(16);
        assertThat(targets.unavailable()).isEmpty();
    }

    @Test
    void oneIsShownForAWhileThoughItsEventIsDead() {
        targets.failed("placed", new Outcome.Dead("1", "no"), new InvalidTargetException("topic a", null));

        now = START.plus(InvalidTargets.SHOWN);
        assertThat(targets.unavailable())
                .singleElement()
                .extracting(UnavailableTarget::cause)
                .asString()
                .startsWith("Only events for topic a: ");
        now = now.plusSeconds(1);
        assertThat(targets.unavailable()).isEmpty();
    }
}
