package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a mask that does not say otherwise shows of errors: classes of exceptions, and nothing that somebody wrote. */
class PayloadMaskTest {

    private static final PayloadMask MASK = new PayloadMask() {};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DE89370400440532013000: unknown",
                "DE89370400440532013000",
                "card.4111111111111111: declined",
                "mrs.example: unknown",
                "No account DE89370400440532013000",
                "java.lang.IllegalStateException at DE89370400440532013000",
                ": DE89370400440532013000",
                ""
            })
    void textOfListenersIsHidden(String error) {
        assertThat(MASK.error("Paid", error)).isEqualTo("…");
    }

    @ParameterizedTest
    @CsvSource({
        "java.lang.IllegalStateException: DE89, java.lang.IllegalStateException: …",
        "java.lang.IllegalStateException, java.lang.IllegalStateException: …",
        "com.example.Bank$Refused: DE89, com.example.Bank$Refused: …"
    })
    void theClassOfAnExceptionIsShown(String error, String shown) {
        assertThat(MASK.error("Paid", error)).isEqualTo(shown);
        assertThat(MASK.error("Paid", error + "\nCaused by: x: DE89")).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 100_000})
    void aLongTextIsNoName(int parts) {
        assertThat(MASK.error("Paid", "a.".repeat(parts) + "B")).isEqualTo("…");
    }
}
