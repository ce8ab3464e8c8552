package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.watch.Turns;
import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.support.Events;
import io.outbox.support.ScriptedBackend;
import java.lang.reflect.Field;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Outcomes between the queue and the store. */
class UnwrittenTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final EngineMetrics metrics = new EngineMetrics(MetricsExporter.NOOP);
    private final AlarmLine alarm = new AlarmLine();
    private final HoldEnds ends = new HoldEnds(backend, owned, new Signal(), alarm);
    private final Unwritten unwritten = new Unwritten(
            ends,
            new OutcomeWriter(
                    backend,
                    metrics,
                    new Durable(metrics, new CompletionWriter.Told(List.of(), null), alarm),
                    ends,
                    new Turns()));

    /** A map that has no memory left when it takes its second outcome for the first time. */
    private static final class Exhausted extends LinkedHashMap<Hold, Completion> {

        private static final long serialVersionUID = 1L;

        private boolean thrown;

        @Override
        public Completion put(Hold hold, Completion completion) {
            if (size() == 1 && !thrown) {
                thrown = true;
                throw new OutOfMemoryError("of the batch in hand");
            }
            return super.put(hold, completion);
        }
    }

    private void submit(String eventId) throws InterruptedException {
        backend.put(Events.event(eventId));
        HeldEvent event = new HeldEvent(new QueuedEvent(Events.event(eventId), Source.HOT, 0), owned.acquire(eventId));
        Outcome done = new Outcome.Done(eventId, Instant.now());
        assertThat(unwritten.offer(Completion.of(event, done, new Completion.Failure(null, 0, () -> done)), 0))
                .isTrue();
    }

    /** Nothing else fails between the queue and the batch, and no memory runs out when a test wants it to. */
    private void exhaust() throws ReflectiveOperationException {
        Field inHand = Unwritten.class.getDeclaredField("inHand");
        inHand.setAccessible(true);
        inHand.set(unwritten, new Exhausted());
    }

    @Test
    void whatWasTakenFromTheQueueOutlastsAnError() throws Exception {
        exhaust();
        for (int i = 0; i < 3; i++) {
            submit("e" + i);
        }

        assertThatThrownBy(() -> unwritten.writeNext(Phase.RUNNING)).isInstanceOf(OutOfMemoryError.class);
        assertThat(unwritten.writeNext(Phase.RUNNING)).isEqualTo(Unwritten.Progress.WRITTEN);

        assertThat(backend.count(EventStatus.DONE)).isEqualTo(3);
        assertThat(owned.size()).isZero();
    }
}
