package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

class ManualClockTest {

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    private final ManualClock clock = new ManualClock(START);

    @Test
    void standsStillUntilItIsMoved() {
        assertThat(clock.instant()).isEqualTo(START);

        clock.advance(Duration.ofMinutes(5));
        assertThat(clock.instant()).isEqualTo(START.plusSeconds(300));

        clock.setTo(START.minusSeconds(1));
        assertThat(clock.instant()).isEqualTo(START.minusSeconds(1));
    }

    @Test
    void anotherZoneSharesTheTime() {
        Clock inTokyo = clock.withZone(ZoneId.of("Asia/Tokyo"));

        clock.advance(Duration.ofMinutes(5));

        assertThat(inTokyo.instant()).isEqualTo(clock.instant());
        assertThat(inTokyo.getZone()).isEqualTo(ZoneId.of("Asia/Tokyo"));
    }

    @Test
    void advancesOnlyForward() {
        assertThatThrownBy(() -> clock.advance(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
    }
}
