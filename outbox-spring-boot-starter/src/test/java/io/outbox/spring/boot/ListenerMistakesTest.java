package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.scheduling.annotation.Async;

/** Listeners that cannot work: the application does not start, and says what to change. */
class ListenerMistakesTest {

    record Order(String id) {}

    static class AsyncMethod {
        @Async
        @OutboxListener
        void on(Order order) {}
    }

    @Async
    static class AsyncClass {
        @OutboxListener
        void on(Order order) {}
    }

    static class Suspending {
        @OutboxListener
        Object on(Order order, Continuation<?> continuation) {
            return null;
        }
    }

    static class Several {
        @OutboxListener(eventType = "Order")
        void on(Collection<Order> orders) {}
    }

    static class Distinct {
        @OutboxListener(eventType = "Order")
        void on(Set<Order> orders) {}
    }

    static class Perhaps {
        @OutboxListener(eventType = "Order")
        void on(Optional<Order> order) {}
    }

    static class WithHeaders {
        @OutboxListener
        void on(Order order, Map<String, String> headers) {}
    }

    static class Private {
        @OutboxListener
        private void on(Order order) {}
    }

    /** What Jackson 2 and 3 both refuse; they differ in whether they use private constructors. */
    static class Ambiguous {
        public void setItems(List<String> items) {}

        public void setItems(Map<String, String> items) {}
    }

    static class Unreadable {
        @OutboxListener(eventType = "Order")
        void on(Ambiguous order) {}
    }

    abstract static class Unknown {}

    static class OfNobody {
        @OutboxListener
        void on(Unknown order) {}
    }

    static class Twice {
        @OutboxListener
        void first(Order order) {}

        @OutboxListener
        void second(Order order) {}
    }

    static class OfText {
        @OutboxListener
        void on(String order) {}
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                Arguments.of(AsyncMethod.class, "it is @Async", "Remove @Async"),
                Arguments.of(AsyncClass.class, "it is @Async", "Remove @Async"),
                Arguments.of(Suspending.class, "it is a suspend function", "runBlocking"),
                Arguments.of(Several.class, "Collection<", "List<Order>"),
                Arguments.of(Distinct.class, "Set<", "List<Order>"),
                Arguments.of(Perhaps.class, "Optional<", "Take Order itself"),
                Arguments.of(WithHeaders.class, "Map<java.lang.String, java.lang.String>] was taken", "EventEnvelope"),
                Arguments.of(Private.class, "must not be private", "Make it package-private"),
                Arguments.of(
                        Unreadable.class, "every event would go DEAD. Cannot read io.outbox", "jackson-module-kotlin"),
                Arguments.of(
                        OfText.class,
                        "does not declare its events: a java.lang.String has no event type",
                        "@OutboxListener(eventType = "),
                Arguments.of(OfNobody.class, "abstract types", "a record"),
                Arguments.of(Twice.class, "has a listener already, ", "@OutboxListener(subscription = \"…\")"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void areExplainedAndHaveARemedyOfTheirOwn(Class<?> listener, String problem, String remedy) {
        FailureAnalysis analysis = FailedStart.of("", listener);

        assertThat(analysis.getDescription()).contains("listenerMistakesTest.").contains(problem);
        assertThat(analysis.getAction()).contains(remedy);
    }

    @Test
    void theOtherListenerOfARouteIsNamed() {
        assertThat(FailedStart.of("", Twice.class).getDescription())
                .containsPattern(
                        "listenerMistakesTest\\.Twice\\.(first|second)'.*already, 'listenerMistakesTest\\.Twice\\.");
    }
}
