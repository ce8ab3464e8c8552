package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.outbox.EventEnvelope;
import io.outbox.spi.ContextPropagator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContextsTest {

    private static final EventEnvelope EVENT =
            EventEnvelope.builder("T").payloadJson("{}").header("own", "kept").build();

    private final List<String> steps = new ArrayList<>();

    /** Captures one header, and notes what it restores and ends. */
    private final class Named implements ContextPropagator {

        private final String name;

        private Named(String name) {
            this.name = name;
        }

        @Override
        public Map<String, String> capture() {
            return Map.of(name, name + " was here");
        }

        @Override
        public Scope restore(Map<String, String> headers) {
            steps.add("restore " + name + " from " + headers.keySet());
            return () -> steps.add("end " + name);
        }
    }

    /** Fails wherever it can. */
    private static final class Failing implements ContextPropagator {

        @Override
        public Map<String, String> capture() {
            throw new IllegalStateException("capture");
        }

        @Override
        public Scope restore(Map<String, String> headers) {
            throw new NoClassDefFoundError("restore");
        }
    }

    private static ContextPropagator capturing(Map<String, String> headers) {
        return new ContextPropagator() {
            @Override
            public Map<String, String> capture() {
                return headers;
            }

            @Override
            public Scope restore(Map<String, String> restored) {
                return null;
            }
        };
    }

    private static EventEnvelope written(ContextPropagator... propagators) {
        return new Contexts(List.of(propagators)).beforeWrite(List.of(EVENT)).get(0);
    }

    @Test
    void addsWhatIsCapturedAndKeepsAllElse() {
        EventEnvelope written = written(new Named("a"), new Named("b"), new Named("own"));

        assertThat(written.headers())
                .containsOnly(entry("own", "kept"), entry("a", "a was here"), entry("b", "b was here"));
        assertThat(written.toBuilder().headers(EVENT.headers()).build()).isEqualTo(EVENT);
    }

    @Test
    void leavesEventsAloneIfThereIsNothingToAdd() {
        assertThat(written()).isSameAs(EVENT);
        assertThat(written(capturing(Map.of()))).isSameAs(EVENT);
    }

    @Test
    void writesWithoutWhatCannotBeCaptured() {
        Map<String, String> odd = new HashMap<>();
        odd.put(null, "no name");
        odd.put("no value", null);
        odd.put("__payload_encoding", "reserved");
        odd.put("good", "yes");

        assertThat(written(new Failing(), capturing(null), capturing(odd), new Named("a"))
                        .headers())
                .containsOnly(entry("own", "kept"), entry("good", "yes"), entry("a", "a was here"));
    }

    @Test
    void endsWhatItRestoredInReverseOrder() {
        new Contexts(List.of(new Named("a"), new Named("b"))).restore(EVENT).close();

        assertThat(steps).containsExactly("restore a from [own]", "restore b from [own]", "end b", "end a");
    }

    @Test
    void restoresAndEndsAllThatWork() {
        ContextPropagator failsAtTheEnd = new ContextPropagator() {
            @Override
            public Map<String, String> capture() {
                return Map.of();
            }

            @Override
            public Scope restore(Map<String, String> headers) {
                return () -> {
                    throw new IllegalStateException("end");
                };
            }
        };
        Contexts contexts = new Contexts(
                List.of(new Named("a"), new Failing(), failsAtTheEnd, capturing(Map.of()), new Named("b")));

        contexts.restore(EVENT).close();

        assertThat(steps).containsExactly("restore a from [own]", "restore b from [own]", "end b", "end a");
    }
}
