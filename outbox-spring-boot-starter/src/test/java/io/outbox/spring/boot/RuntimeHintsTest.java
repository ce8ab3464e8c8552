package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.spring.boot.brokers.RoutedEvent;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

class RuntimeHintsTest {

    enum Renamed implements EventType {
        RENAMED
    }

    @OutboxListener(eventTypeClass = Renamed.class)
    static class Listener implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @Test
    void keepsTheTablesOfAllDatabasesAndTheScriptsOfRedis() {
        RuntimeHints hints = new RuntimeHints();
        AotServices.factories().load(RuntimeHintsRegistrar.class).stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.outbox."))
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        assertThat(RuntimeHintsPredicates.resource().forResource("schema/h2.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("schema/postgresql.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/outbox/redis/append.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(RoutedEvent.class))
                .accepts(hints);
    }

    @Test
    void keepsTheTypesThatListenersNameByClass() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Renamed.class)).accepts(hintsFor(Listener.class));
    }

    record Payload(String id) {}

    abstract static class Generic<T> {
        @OutboxListener
        void on(T event) {}
    }

    static class OfPayloads extends Generic<Payload> {}

    @Test
    void keepsThePayloadsOfGenericSuperclasses() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Payload.class)).accepts(hintsFor(OfPayloads.class));
    }

    @Outboxed
    interface DomainEvent {}

    record Shipped(String id) implements DomainEvent {}

    @Test
    void keepsClassesWhoseInterfaceSendsThemToTheOutbox() {
        assertThat(RuntimeHintsPredicates.reflection().onType(Shipped.class)).accepts(hintsFor());
    }

    private RuntimeHints hintsFor(Class<?>... beans) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(getClass())), new InMemoryGeneratedFiles());
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.register(TestApplication.class);
            Arrays.stream(beans).forEach(context::register);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        generation.writeGeneratedContent();
        return generation.getRuntimeHints();
    }
}
