package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.inTransaction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AggregateType;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.stereotype.Component;

class OutboxListenerTest {

    enum Events implements EventType {
        CREATED,
        DELETED
    }

    enum OnlyEvent implements EventType {
        RENAMED
    }

    static class OrderType implements AggregateType {
        @Override
        public String name() {
            return "Order";
        }
    }

    record Shipped() implements EventType {
        @Override
        public String name() {
            return "OrderShipped";
        }
    }

    abstract static class Done implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @OutboxListener(eventType = "Created")
    static class ByName extends Done {}

    @OutboxListener(eventType = "Created", aggregateType = "User")
    static class ByNames extends Done {}

    @OutboxListener(eventTypeClass = Shipped.class, aggregateTypeClass = OrderType.class)
    static class ByClasses extends Done {}

    @OutboxListener(eventTypeClass = Events.class, eventType = "DELETED")
    static class ByConstant extends Done {}

    @OutboxListener(eventTypeClass = OnlyEvent.class)
    static class ByOnlyConstant extends Done {}

    @Component
    static class Bound extends BoundEventListener {
        Bound() {
            super("Order", "Paid");
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @OutboxListener
    static class AnnotatedBound extends BoundEventListener {
        AnnotatedBound() {
            super("Order", "Cancelled");
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @Test
    void registersListenersOfEveryKind() {
        TestApplication.runner(
                        ByName.class,
                        ByNames.class,
                        ByClasses.class,
                        ByConstant.class,
                        ByOnlyConstant.class,
                        Bound.class,
                        AnnotatedBound.class)
                .run(context -> {
                    ListenerRegistry registry = context.getBean(ListenerRegistry.class);
                    assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "Created"))
                            .isInstanceOf(ByName.class);
                    assertThat(registry.listenerFor("User", "Created")).isInstanceOf(ByNames.class);
                    assertThat(registry.listenerFor("Order", "OrderShipped")).isInstanceOf(ByClasses.class);
                    assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "DELETED"))
                            .isInstanceOf(ByConstant.class);
                    assertThat(registry.listenerFor(AggregateType.GLOBAL.name(), "RENAMED"))
                            .isInstanceOf(ByOnlyConstant.class);
                    assertThat(registry.listenerFor("Order", "Paid")).isInstanceOf(Bound.class);
                    assertThat(registry.listenerFor("Order", "Cancelled")).isInstanceOf(AnnotatedBound.class);
                });
    }

    @OutboxListener(eventType = "Created")
    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped extends Done {}

    @Test
    void registersTheProxyOfAScopedListener() {
        TestApplication.runner(Scoped.class)
                .run(context -> assertThat(context.getBean(ListenerRegistry.class)
                                .listenerFor(AggregateType.GLOBAL.name(), "Created"))
                        .isInstanceOf(ScopedObject.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Batches {
        private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());

        @Bean
        @OutboxListener(eventType = "Imported")
        BatchEventListener imported() {
            return events -> {
                sizes.add(events.size());
                return events.stream().map(event -> BatchOutcome.done()).toList();
            };
        }
    }

    @Test
    void deliversToBatchListenersOfBeanMethods() {
        ApplicationContextRunner runner = TestApplication.runner(Batches.class);
        runner.withPropertyValues("outbox.dispatcher.worker-count=1").run(context -> {
            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .writeAll(IntStream.range(0, 60)
                                    .mapToObj(i -> EventEnvelope.ofJson("Imported", String.valueOf(i)))
                                    .toList()));
            List<Integer> sizes = context.getBean(Batches.class).sizes;
            await().untilAsserted(() -> assertThat(List.copyOf(sizes).stream()
                            .mapToInt(Integer::intValue)
                            .sum())
                    .isEqualTo(60));
            assertThat(sizes).hasSizeLessThan(60);
        });
    }

    // Mistakes

    @OutboxListener
    static class NoType extends Done {}

    @OutboxListener(eventType = "Created")
    static class Duplicate extends Done {}

    @OutboxListener(eventType = "Created")
    static class NoListener {}

    @OutboxListener(eventTypeClass = Events.class, eventType = "MISSPELT")
    static class UnknownConstant extends Done {}

    @OutboxListener(eventTypeClass = Events.class)
    static class NoConstant extends Done {}

    @OutboxListener(eventTypeClass = Shipped.class, eventType = "Delivered")
    static class Contradiction extends Done {}

    @OutboxListener(eventType = "Paid")
    static class BoundTwice extends Bound {}

    @OutboxListener(eventType = "Other", outbox = "elsewhere")
    static class UnknownOutbox extends Done {}

    @ParameterizedTest
    @ValueSource(
            classes = {
                NoType.class,
                Duplicate.class,
                NoListener.class,
                UnknownConstant.class,
                NoConstant.class,
                Contradiction.class,
                BoundTwice.class,
                UnknownOutbox.class
            })
    void refusesToStartWithAListenerThatCannotBeRegistered(Class<?> mistake) {
        TestApplication.runner(ByName.class, mistake).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("ListenerRegistrationException")
                    .hasStackTraceContaining("cannot be registered");
        });
    }
}
