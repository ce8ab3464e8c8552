package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.Page;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read for several types does not come near the events of those that are left out. */
@ExtendWith(NoLeftoverThreads.class)
class ReadByNameTest {

    private static final Duration LONG = Duration.ofSeconds(10);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final Queue<EventTypes> read = new ConcurrentLinkedQueue<>();
    private Outbox outbox;

    @AfterEach
    void close() {
        outbox.close();
    }

    /** Notes which types are read. */
    private final class Recording extends ForwardingBackend {

        private Recording() {
            super(backend, backend, backend);
        }

        @Override
        public Page<DueEvent> fetch(FetchRequest request) {
            read.add(request.types());
            return super.fetch(request);
        }

        @Override
        public ClaimedPage claim(ClaimRequest request) {
            read.add(request.scope().types());
            return super.claim(request);
        }
    }

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.backend(new Recording())
                .listenerRegistry(registry)
                .intervalMs(20)
                .startManually();
    }

    private void put(int count, String eventType) {
        for (int i = 0; i < count; i++) {
            backend.put(Events.event(eventType + i, eventType));
        }
    }

    private void awaitDone(int count) {
        await().atMost(LONG).until(() -> backend.count(EventStatus.DONE) == count);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPausedLaneIsInNobodysWay(boolean several) {
        List.of("Paused", "A", "B").forEach(type -> registry.register(type, event -> DispatchResult.done()));
        put(1000, "Paused");
        put(10, "A");
        LanePolicy policy = LanePolicy.builder().build();
        outbox = several
                ? on(Outbox.multiNode())
                        .claimLocking("node", LONG)
                        .lane("Paused", policy)
                        .build()
                : on(Outbox.singleNode()).lane("Paused", policy).build();
        outbox.pause("Paused");
        outbox.start();

        awaitDone(10);
        put(10, "B");
        awaitDone(20);

        assertThat(read).isNotEmpty().noneMatch(EventTypes::excluded).noneMatch(types -> types.contains("Paused"));
        assertThat(backend.rowsRead()).isLessThan(100);
    }

    @Test
    void aTypeWhoseTargetIsDownIsReadByItsProbesAlone() {
        registry.register("Down", event -> {
            throw new RouteUnavailableException("down");
        });
        registry.register("Up", event -> DispatchResult.done());
        put(100, "Down");
        outbox = on(Outbox.singleNode()).build();
        outbox.start();
        await().atMost(LONG).until(() -> !outbox.status().unavailable().isEmpty());
        read.clear();

        put(10, "Up");
        awaitDone(10);

        assertThat(read)
                .filteredOn(types -> types.contains("Up"))
                .isNotEmpty()
                .allSatisfy(types -> assertThat(types.names()).containsExactly("Up"));
    }

    @Test
    void noLagIsMeasuredByCounting() {
        CountingMetrics metrics = new CountingMetrics();
        registry.register("A", event -> DispatchResult.done());
        put(10, "A");
        outbox = on(Outbox.singleNode()).metrics(metrics).build();
        outbox.start();

        awaitDone(10);
        await().atMost(LONG).until(() -> backend.calls(Op.LOOK_BY_TYPE) > 0);

        assertThat(backend.calls(Op.PENDING)).isZero();
    }
}
