package io.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class FailureTextTest {

    private static final String TOLD = String.join(
            "\n",
            "java.lang.IllegalStateException: Delivery failed",
            "for two reasons",
            "Caused by: java.util.concurrent.ExecutionException: refused",
            "Caused by: java.net.ConnectException: Connection refused",
            "\tat com.example.Payments.send(Payments.java:42)",
            "\t... 12 more",
            "\tAttempts:",
            "\t1 2026-03-01T10:15:30.123Z shop-1 java.net.ConnectException: Connection refused",
            "\t2 2026-03-01T10:15:31Z -");

    @Test
    void isTakenApart() {
        FailureText text = FailureText.of(TOLD);

        assertThat(text.exception()).isEqualTo("java.lang.IllegalStateException: Delivery failed\nfor two reasons");
        assertThat(text.root()).isEqualTo("java.net.ConnectException: Connection refused");
        assertThat(text.causes()).hasSize(2);
        assertThat(text.trace()).isEqualTo("\tat com.example.Payments.send(Payments.java:42)\n\t... 12 more");
        assertThat(text.attempts())
                .containsExactly(
                        new FailureText.Attempt(
                                1,
                                Instant.parse("2026-03-01T10:15:30.123Z"),
                                "shop-1",
                                "java.net.ConnectException: Connection refused"),
                        new FailureText.Attempt(2, Instant.parse("2026-03-01T10:15:31Z"), null, null));
        assertThat(text.attemptsMade()).isEqualTo(2);
    }

    @Test
    void theHistoryHasAllThatIsKnownOfTheLastAttempt() {
        List<FailedAttempt> history = FailureText.of(TOLD).history("e");

        assertThat(history).extracting(FailedAttempt::attempt).containsExactly(1, 2);
        assertThat(history.get(0).error()).isEqualTo("java.net.ConnectException: Connection refused");
        assertThat(history.get(1).error()).isEqualTo(TOLD.substring(0, TOLD.indexOf("\n\tAttempts:")));
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "rejected",
                "two\nlines",
                "\tAttempts:",
                "x\n\tAttempts:\n",
                "x\n\tAttempts:\n\tof mine",
                "\n\tat"
            })
    void anyTextCanBeRead(String stored) {
        FailureText text = FailureText.of(stored);

        assertThat(text.attempts()).isEmpty();
        assertThat(text.attemptsMade()).isZero();
        assertThat(text.history("e")).isEmpty();
        assertThat(text.causes()).isEmpty();
        assertThat(text.root()).isEqualTo(text.summary());
    }

    @Test
    void aTraceInsideOfTheMessageDoesNotHideTheRootCause() {
        FailureText text =
                FailureText.of("a.B: remote said:\n\tat x.Y(Y.java:1)\nCaused by: c.D: reset\n\tat z.Z(Z.java:1)");

        assertThat(text.root()).isEqualTo("c.D: reset");
        assertThat(text.trace()).isEqualTo("\tat z.Z(Z.java:1)");
    }
}
