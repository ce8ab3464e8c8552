package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.support.NamedCodec;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The codec of an outbox, which is nobody else's. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxCodecTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<String> read = new CopyOnWriteArrayList<>();

    @AfterEach
    void returnToDiscovery() {
        JsonCodec.setDefault(null);
    }

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.backend(backend).listenerRegistry(registry).startManually();
    }

    private DispatchResult read(String where, EventEnvelope event) {
        read.add(where + ": " + event.payload(String.class));
        return DispatchResult.done();
    }

    private void write(Outbox outbox, EventEnvelope... events) {
        backend.begin();
        outbox.writer().writeAll(List.of(events));
        backend.commit();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsForEverybodyWhoIsGivenAnEvent(boolean hot) {
        EventEnvelope event = EventEnvelope.ofJson("A", "1");
        registry.register("A", given -> read("listener", given));
        try (Outbox outbox = on(Outbox.singleNode())
                .jsonCodec(new NamedCodec("own"))
                .interceptor(EventInterceptor.before(given -> read("before", given)))
                .interceptor(EventInterceptor.after((given, error) -> read("after", given)))
                .completionListener(new CompletionListener() {
                    @Override
                    public void onDone(EventEnvelope given) {
                        read("done", given);
                    }
                })
                .build()) {
            if (hot) {
                write(outbox, event);
            } else {
                backend.put(event);
            }

            outbox.deliverDue();
        }

        assertThat(read)
                .containsExactly("before: own read 1", "listener: own read 1", "after: own read 1", "done: own read 1");
    }

    @Test
    void readsForListenersOfEveryKindAndForThoseToldOfDeath() {
        registry.register("Informed", EventListener.informed((event, info) -> read("informed", event)));
        registry.register("Batch", (BatchEventListener) events -> events.stream()
                .map(event -> BatchOutcome.of(read("batch", event)))
                .toList());
        registry.register("Dying", event -> DispatchResult.dead());
        try (Outbox outbox = on(Outbox.singleNode())
                .jsonCodec(new NamedCodec("own"))
                .completionListener(new CompletionListener() {
                    @Override
                    public void onDead(DeadEvent dead) {
                        read("dead", dead.envelope());
                    }
                })
                .build()) {
            Stream.of("Informed", "Batch", "Dying").forEach(type -> backend.put(EventEnvelope.ofJson(type, "1")));

            outbox.deliverDue();
        }

        assertThat(read).containsExactlyInAnyOrder("informed: own read 1", "batch: own read 1", "dead: own read 1");
    }

    @Test
    void isNotThatOfAnotherOutboxInTheSameJvm() {
        JsonCodec.setDefault(new NamedCodec("default"));
        registry.register("A", event -> read("listener", event));
        for (String name : List.of("one", "other")) {
            try (Outbox outbox =
                    on(Outbox.singleNode()).jsonCodec(new NamedCodec(name)).build()) {
                write(outbox, EventEnvelope.ofJson("A", "1"));
                outbox.deliverDue();
            }
        }

        assertThat(read).containsExactly("listener: one read 1", "listener: other read 1");
    }

    @Test
    void isTheDefaultOfTheMomentUnlessOneIsGiven() {
        registry.register("A", event -> read("listener", event));
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            JsonCodec.setDefault(new NamedCodec("first"));
            write(outbox, EventEnvelope.ofJson("A", "1"));
            JsonCodec.setDefault(new NamedCodec("second"));

            outbox.deliverDue();
        }

        assertThat(read).containsExactly("listener: second read 1");
    }

    @Test
    void leavesTheEventItselfAlone() {
        EventEnvelope event = EventEnvelope.ofJson("A", "1");
        List<EventEnvelope> seen = new CopyOnWriteArrayList<>();
        registry.register("A", given -> {
            seen.add(given);
            return DispatchResult.done();
        });
        try (Outbox outbox =
                on(Outbox.singleNode()).jsonCodec(new NamedCodec("own")).build()) {
            write(outbox, event);
            outbox.deliverDue();
        }

        assertThat(seen).containsExactly(event);
    }

    static Stream<Outbox.AbstractBuilder<?>> everyMode() {
        return Stream.of(
                Outbox.singleNode(),
                Outbox.multiNode().claimLocking(Duration.ofMinutes(1)),
                Outbox.ordered(),
                Outbox.writerOnly());
    }

    @ParameterizedTest
    @MethodSource("everyMode")
    void writesForThePublisherInEveryMode(Outbox.AbstractBuilder<?> builder) {
        builder.backend(backend).listenerRegistry(registry).startManually().jsonCodec(new NamedCodec("own"));
        try (Outbox outbox = builder.build()) {
            backend.begin();
            String id = outbox.publisher().event("A").publish(4711);
            backend.commit();

            assertThat(backend.row(id).event().payloadJson()).isEqualTo("own wrote 4711");
            assertThat(backend.count(EventStatus.NEW)).isEqualTo(1);
        }
    }

    @Test
    void isGivenToWhatMakesThePublisherHoweverLateItIsSet() {
        try (Outbox outbox = on(Outbox.singleNode())
                .publisher(DefaultOutboxPublisher::new)
                .jsonCodec(new NamedCodec("own"))
                .build()) {
            backend.begin();
            String id = outbox.publisher().event("A").publish(4711);
            backend.commit();

            assertThat(backend.row(id).event().payloadJson()).isEqualTo("own wrote 4711");
        }
    }
}
