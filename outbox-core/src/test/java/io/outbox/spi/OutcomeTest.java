package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.model.EventStatus;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomeTest {

    @Test
    void keepsAnErrorThatEveryDatabaseStores() {
        assertThat(Outcome.storable(null)).isNull();
        assertThat(Outcome.storable("")).isEmpty();
        assertThat(Outcome.storable("caf\u00e9 \ud83d\ude00\n")).isEqualTo("caf\u00e9 \ud83d\ude00\n");
        assertThat(Outcome.storable("x".repeat(4000))).hasSize(4000);
    }

    @Test
    void cutsALongError() {
        assertThat(Outcome.storable("x".repeat(4001))).isEqualTo("x".repeat(4000));
        assertThat(Outcome.MAX_ERROR_LENGTH).isEqualTo(4000);
    }

    @Test
    void neverCutsACharacterInHalf() {
        String text = "x".repeat(3999) + "\ud83d\ude00";

        assertThat(Outcome.storable(text)).isEqualTo("x".repeat(3999));
        assertThat(Outcome.storable("x".repeat(3998) + "\ud83d\ude00")).hasSize(4000);
    }

    @Test
    void dropsWhatDatabasesRefuse() {
        assertThat(Outcome.storable("a\0b\0")).isEqualTo("ab");
        assertThat(Outcome.storable("a\ud83db")).isEqualTo("a?b");
    }

    @Test
    void cutsTheErrorsItCarries() {
        assertThat(new Outcome.Dead("1", "x\0".repeat(5000)).error()).hasSize(4000);
        assertThat(new Outcome.Failed("1", Instant.EPOCH, 0, 3, "x".repeat(5000)).error())
                .hasSize(4000);
    }

    @Test
    void requiresAnIdAndATime() {
        assertThatNullPointerException().isThrownBy(() -> new Outcome.Done(null, Instant.EPOCH));
        assertThatNullPointerException().isThrownBy(() -> new Outcome.Done("1", null));
        assertThatNullPointerException().isThrownBy(() -> new Outcome.Deferred("1", null));
        assertThatNullPointerException().isThrownBy(() -> new Outcome.Failed("1", null, 0, 1, null));
        assertThatNullPointerException().isThrownBy(() -> new Outcome.Dead(null, null));
    }

    @ParameterizedTest
    @CsvSource({"NEW, 0, false", "DONE, 1, true", "RETRY, 2, false", "DEAD, 3, true"})
    void statusesHaveFixedCodes(EventStatus status, int code, boolean terminal) {
        assertThat(status.code()).isEqualTo(code);
        assertThat(status.isTerminal()).isEqualTo(terminal);
        assertThat(EventStatus.fromCode(code)).isEqualTo(status);
    }
}
