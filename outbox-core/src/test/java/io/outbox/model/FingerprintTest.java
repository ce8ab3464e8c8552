package io.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What makes two failures one kind. */
class FingerprintTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Timeout after 100 ms | Timeout after 2500 ms",
                "no order 'a' | no order 'b'",
                "no order \"a b\" | no order \"\"",
                "event 01890a5d-ac96-774b-bcce-b302099a8057 | event 01890A5D-AC96-774B-BCCE-B302099A8058",
                "event 01ARZ3NDEKTSV4RRFFQ69G5FAV | event 01ARZ3NDEKTSV4RRFFQ69G5FAW",
                "at 0x7f3a | at 0x1",
                "token deadbeefdeadbeef | token 0123456789abcdef"
            })
    void ignoresWhatDiffersFromEventToEvent(String one, String other) {
        assertThat(Fingerprint.of(one)).isEqualTo(Fingerprint.of(other)).hasSize(Fingerprint.LENGTH);
    }

    @Test
    void looksAtTheFirstLineOnly() {
        assertThat(Fingerprint.of("a\n\tat x")).isEqualTo(Fingerprint.of("  a\r\n\tat y"));
    }

    @Test
    void tellsOthersApart() {
        List<String> errors = List.of("Timeout after 1 ms", "Timeout after 1 s", "IllegalState", "timeout after 1 ms");
        assertThat(errors.stream().map(Fingerprint::of).distinct()).hasSize(errors.size());
        assertThat(Fingerprint.of(null)).isEqualTo(Fingerprint.of(" "));
    }

    @Test
    void takesErrorsOfAnyLength() {
        assertThat(Fingerprint.of("x".repeat(100_000))).hasSize(Fingerprint.LENGTH);
    }

    @Test
    void differentRootCausesBehindOneExceptionAreTwoKinds() {
        String reset = "a.B: Delivery of 17 failed\nCaused by: c.D: reset by peer 10.0.0.1\n\tat x.Y.z(Y.java:1)";
        String sameElsewhere =
                "a.B: Delivery of 18 failed\nCaused by: c.D: reset by peer 10.0.0.2\n\tat x.Y.q(Y.java:2)";
        String refused = "a.B: Delivery of 17 failed\nCaused by: c.D: refused";
        String otherWrapper = "a.C: Delivery of 17 failed\nCaused by: c.D: refused";

        assertThat(Fingerprint.of(reset)).isEqualTo(Fingerprint.of(sameElsewhere));
        assertThat(List.of(reset, refused, otherWrapper).stream()
                        .map(Fingerprint::of)
                        .distinct())
                .hasSize(3);
    }

    @Test
    void stackTraceAndAttemptsChangeNothing() {
        String told = "a.B: reset\n\tat x.Y.z(Y.java:1)\n\tAttempts:\n\t1 2026-01-01T00:00:00Z -";

        assertThat(Fingerprint.of(told)).isEqualTo(Fingerprint.of("a.B: reset"));
    }
}
