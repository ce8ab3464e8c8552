package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NoLeftoverThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeftoverThreads.class)
class DispatcherWriterHookTest {

    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final CountedConnections connections = new CountedConnections();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<String> delivered = new ArrayList<>();
    private final InFlightTracker inFlight = new DefaultInFlightTracker();
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .inFlightTracker(inFlight)
            .connectionProvider(connections)
            .outboxStore(store)
            .listenerRegistry(new DefaultListenerRegistry().register(Events.TYPE, event -> {
                delivered.add(event.eventId());
                return DispatchResult.done();
            }))
            .hotQueueCapacity(2)
            .metrics(metrics)
            .startManually()
            .build();
    private final OutboxWriter writer =
            new DefaultOutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher));

    @AfterEach
    void close() {
        dispatcher.close();
        assertThat(connections.open()).isZero();
    }

    private boolean poll(String id) {
        return dispatcher.enqueueCold(
                new QueuedEvent(EventEnvelope.restore(store.row(id).stored()), Source.COLD, 0));
    }

    @Test
    void queuesEventsAfterTheCommitAndNotBefore() {
        transaction.begin();
        writer.writeAll(List.of(Events.event("1"), Events.event("2")));
        assertThat(dispatcher.engine().deliverQueued()).isZero();

        transaction.commit();

        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(2);
        assertThat(delivered).containsExactly("1", "2");
        assertThat(metrics.get("hotEnqueued")).isEqualTo(2);
    }

    @Test
    void queuesNothingAfterARollback() {
        transaction.begin();
        writer.write(Events.event("1"));

        transaction.rollback();

        assertThat(dispatcher.engine().deliverQueued()).isZero();
        assertThat(inFlight.tryAcquire("1")).as("nobody holds it").isTrue();
    }

    @Test
    void keepsThePollerFromAnEventThatIsVisibleBeforeItIsQueued() {
        transaction.begin();
        transaction.afterCommit(() -> {
            assertThat(poll("1")).as("accepted, but dropped").isTrue();
            assertThat(dispatcher.engine().deliverQueued()).isZero();
        });
        writer.write(Events.event("1"));

        transaction.commit();
        poll("1");

        assertThat(dispatcher.engine().deliverQueued()).isEqualTo(1);
        assertThat(delivered).containsExactly("1");
    }

    @Test
    void countsAndLeavesToThePollerWhatFindsTheQueueFull() {
        transaction.begin();
        writer.writeAll(List.of(Events.event("1"), Events.event("2"), Events.event("3"), Events.event("4")));

        transaction.commit();

        assertThat(metrics.get("hotEnqueued")).isEqualTo(2);
        assertThat(metrics.get("hotDropped")).isEqualTo(2);
        assertThat(store.status("3")).isEqualTo(EventStatus.NEW);
        assertThat(store.attempts("3")).isZero();
        assertThat(poll("3")).isTrue();
        assertThat(poll("4")).isTrue();
        dispatcher.engine().deliverQueued();
        assertThat(delivered).containsExactlyInAnyOrder("1", "2", "3", "4");
    }

    @Test
    void leavesDelayedEventsToThePoller() {
        EventEnvelope delayed = EventEnvelope.builder(Events.TYPE)
                .eventId("later")
                .payloadJson("{}")
                .deliverAfter(Duration.ofHours(1))
                .build();
        transaction.begin();
        writer.writeAll(List.of(delayed, Events.event("now")));

        transaction.commit();
        dispatcher.engine().deliverQueued();

        assertThat(delivered).containsExactly("now");
        assertThat(metrics.get("hotSkippedDelayed")).isEqualTo(1);
        assertThat(metrics.get("hotDropped")).isZero();
        assertThat(inFlight.tryAcquire("later")).as("nobody holds it").isTrue();
    }

    @Test
    void countsADropWhenTheDispatcherIsClosed() {
        transaction.begin();
        writer.write(Events.event("1"));
        dispatcher.close();

        transaction.commit();

        assertThat(metrics.get("hotDropped")).isEqualTo(1);
        assertThat(store.status("1")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void countsWithMetricsOfItsOwnIfGiven() {
        CountingMetrics own = new CountingMetrics();
        OutboxWriter other = new DefaultOutboxWriter(transaction, store, new DispatcherWriterHook(dispatcher, own));
        transaction.begin();
        other.writeAll(List.of(Events.event("1"), Events.event("2"), Events.event("3")));

        transaction.commit();

        assertThat(own.get("hotEnqueued")).isEqualTo(2);
        assertThat(own.get("hotDropped")).isEqualTo(1);
        assertThat(metrics.get("hotEnqueued") + metrics.get("hotDropped")).isZero();
    }

    @Test
    void refusesNull() {
        assertThatNullPointerException().isThrownBy(() -> new DispatcherWriterHook(null));
        assertThatNullPointerException()
                .isThrownBy(() -> new DispatcherWriterHook(null, MetricsExporter.NOOP))
                .withMessageContaining("dispatcher");
        assertThatNullPointerException()
                .isThrownBy(() -> new DispatcherWriterHook(dispatcher, null))
                .withMessageContaining("metrics");
    }
}
