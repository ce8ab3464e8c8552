package io.outbox.spring.boot.internal.listeners;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.spring.boot.OutboxListener;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.scheduling.annotation.Async;

/** Fallbacks that cannot work are refused when the application starts, each with its remedy. */
class FallbackMethodTest {

    record Placed(String id) {}

    static class Overloaded {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        void giveUp(Placed order) {}

        void giveUp(EventEnvelope event) {}
    }

    static class Itself {
        @OutboxListener(fallback = "on")
        void on(Placed order) {}
    }

    static class Private {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        private void giveUp(Placed order) {}
    }

    static class Later {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        @Async
        void giveUp(Placed order) {}
    }

    static class Returning {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        DispatchResult giveUp(Placed order) {
            return DispatchResult.done();
        }
    }

    static class Listed {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        void giveUp(List<Placed> orders) {}
    }

    static class TwoPayloads {
        @OutboxListener(fallback = "giveUp")
        void on(Placed order) {}

        void giveUp(Placed order, IllegalStateException cause) {}
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(Overloaded.class, "several methods", "a name that no other method has"),
                Arguments.of(Itself.class, "is a listener itself", "without @OutboxListener"),
                Arguments.of(Private.class, "must not be private", "Make it package-private"),
                Arguments.of(Later.class, "it is @Async", "Remove @Async"),
                Arguments.of(Returning.class, "must return nothing", "return void"),
                Arguments.of(Listed.class, "must take single events", "in place of a List"),
                Arguments.of(TwoPayloads.class, "two parameters for the same thing", "Throwable or Exception"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void mistakesAreExplained(Class<?> bean, String problem, String remedy) {
        Method listener = Arrays.stream(bean.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(OutboxListener.class))
                .findFirst()
                .orElseThrow();
        String fallback = listener.getAnnotation(OutboxListener.class).fallback();

        assertThatExceptionOfType(ListenerMistake.class)
                .isThrownBy(() -> FallbackMethod.of(listener, bean, fallback))
                .withMessageContaining(problem)
                .satisfies(mistake -> Assertions.assertThat(mistake.remedy()).contains(remedy));
    }
}
