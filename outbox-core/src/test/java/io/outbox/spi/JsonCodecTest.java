package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.EventEnvelope;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** There is no codec on the class path of these tests. */
class JsonCodecTest {

    /** Reads everything as the same map. */
    private static final JsonCodec CODEC = new JsonCodec() {
        @Override
        public String toJson(Object obj) {
            return String.valueOf(obj);
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("text", json);
            map.put("number", 7L);
            map.put("none", null);
            return type.cast(map);
        }
    };

    @AfterEach
    void returnToDiscovery() {
        JsonCodec.setDefault(null);
    }

    @Test
    void tellsWhatToDoWhenThereIsNone() {
        assertThatIllegalStateException()
                .isThrownBy(JsonCodec::getDefault)
                .withMessageContaining("outbox-gson")
                .withMessageContaining("setDefault");
        assertThatIllegalStateException()
                .isThrownBy(() -> EventEnvelope.ofJson("A", "{}").payload(String.class));
    }

    @Test
    void usesTheOneThatWasSet() {
        JsonCodec.setDefault(CODEC);

        assertThat(JsonCodec.getDefault()).isSameAs(CODEC);
    }

    @Test
    void returnsToDiscoveryWhenSetToNull() {
        JsonCodec.setDefault(CODEC);

        JsonCodec.setDefault(null);

        assertThatIllegalStateException().isThrownBy(JsonCodec::getDefault);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " \n", "null", " null "})
    void readsNothingAsAnEmptyMap(String json) {
        assertThat(CODEC.parseStringMap(json)).isEmpty();
    }

    @Test
    void readsAMapThroughTheCodec() {
        Map<String, String> map = CODEC.parseStringMap("{}");

        assertThat(map.keySet()).containsExactly("text", "number", "none");
        assertThat(map.values()).containsExactly("{}", "7", null);
    }

    @Test
    void readsAClassGivenAsATypeAsItReadsClasses() {
        Type type = Map.class;

        Map<String, Object> read = CODEC.fromJson("{}", type);

        assertThat(read).containsEntry("text", "{}");
    }

    @Test
    void refusesATypeWithParametersUnlessTheCodecKnowsHow() throws Exception {
        Type type = Sample.class.getDeclaredField("numbers").getGenericType();

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> CODEC.fromJson("[]", type))
                .withMessageContaining(CODEC.getClass().getName())
                .withMessageContaining("java.util.List<java.lang.Integer>")
                .withMessageContaining("fromJson(String, Type)");
    }

    /** Has a field of a type with a parameter. */
    private record Sample(List<Integer> numbers) {}
}
