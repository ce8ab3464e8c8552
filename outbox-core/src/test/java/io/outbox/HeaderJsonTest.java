package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeaderJsonTest {

    @Test
    void writesAFlatObject() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("b", "2");
        headers.put("a", null);
        headers.put("q\"", "\\\n\u0001");

        assertThat(HeaderJson.write(headers)).isEqualTo("{\"b\":\"2\",\"a\":null,\"q\\\"\":\"\\\\\\n\\u0001\"}");
        assertThat(HeaderJson.write(Map.of())).isEqualTo("{}");
    }

    @Test
    void readsWhatOtherWritersProduce() {
        Map<String, String> headers = HeaderJson.parse(
                "id",
                " {\n\t\"s\" : \"\\u00e9\\/\\b\\f\" , \"i\":-12 ,\"d\":1.5e+3,\"t\":true,\"f\":false,\"n\":null } ");

        assertThat(headers.keySet()).containsExactly("s", "i", "d", "t", "f", "n");
        assertThat(headers.values()).containsExactly("\u00e9/\b\f", "-12", "1.5e+3", "true", "false", null);
    }

    @Test
    void takesTheLastOfEqualNames() {
        assertThat(HeaderJson.parse("id", "{\"a\":\"1\",\"a\":\"2\"}")).containsExactly(Map.entry("a", "2"));
    }

    @Test
    void tellsWhereTheTextIsMalformed() {
        assertThatExceptionOfType(PayloadParseException.class)
                .isThrownBy(() -> HeaderJson.parse("id-7", "{\"a\":\"1\";}"))
                .withMessageContaining("id-7")
                .withMessageContaining("position 8");
    }
}
