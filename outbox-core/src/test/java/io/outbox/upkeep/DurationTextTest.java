package io.outbox.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S,0ms",
        "PT0.0005S,0ms",
        "PT0.2S,200ms",
        "PT1.5S,1500ms",
        "PT5S,5s",
        "PT90S,90s",
        "PT10M,10m",
        "PT25H,25h",
        "P7D,7d"
    })
    void isWrittenAsInSettings(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @Test
    void measuredTimesHaveNoRestThatNobodyReads() {
        assertThat(DurationText.about(Duration.ofMillis(9_999))).isEqualTo("9999ms");
        assertThat(DurationText.about(Duration.ofMillis(72_345))).isEqualTo("72s");
    }

    @Test
    void theLongestThereIsHasATextToo() {
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .endsWith("s");
        assertThat(DurationText.about(Duration.ofSeconds(Long.MAX_VALUE))).endsWith("s");
    }
}
