package io.outbox.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTextTest {

    private static Object read(String text) {
        return JsonText.read(text, Integer::valueOf);
    }

    @Test
    void readsNestedValues() {
        assertThat(read(" {\"a\" : [1, true ,false,null,\"x\\u00e9\\n\"],\"b\":{},\"c\":[]} "))
                .isEqualTo(
                        Map.of("a", Arrays.asList(1, true, false, null, "x\u00e9\n"), "b", Map.of(), "c", List.of()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~~ | 0",
                "{ | 1",
                "{\"a\" 1} | 5",
                "{\"a\":} | 5",
                "{a:1} | 1",
                "[1 2] | 3",
                "[1,] | 3",
                "\"a | 2",
                "\"\\x\" | 3",
                "\"\\u12g4\" | 3",
                "tru | 0",
                "1x | 1",
                "1-1 | 3",
                "{} {} | 3"
            })
    void tellsWhereATextIsMalformed(String text, int position) {
        assertThatExceptionOfType(JsonText.MalformedException.class)
                .isThrownBy(() -> read(text))
                .matches(malformed -> malformed.position() == position, "position " + position);
    }

    @Test
    void endsAtADepthThatNobodyNeeds() {
        assertThat(read("[".repeat(32) + "]".repeat(32))).isInstanceOf(List.class);
        assertThatExceptionOfType(JsonText.MalformedException.class)
                .isThrownBy(() -> read("[".repeat(100_000)))
                .withMessageContaining("deeply");
    }

    @Test
    void quotesWhatWouldNotSurvive() {
        StringBuilder out = new StringBuilder();
        JsonText.quote("a\"\\\n\r\t\u0001<\uD83D\uDE00\u00e9", out, c -> c == '<');
        assertThat(out).hasToString("\"a\\\"\\\\\\n\\r\\t\\u0001\\u003c\\ud83d\\ude00\u00e9\"");
        assertThat(read(out.toString())).isEqualTo("a\"\\\n\r\t\u0001<\uD83D\uDE00\u00e9");
    }
}
