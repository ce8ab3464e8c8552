package io.outbox.inbox;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.ForwardingBatchListener;
import io.outbox.ForwardingListener;
import io.outbox.RouteUnavailableException;
import io.outbox.inbox.IdempotentConsumer.NotDone;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A listener whose effect an event has once, since only what is done is committed. */
final class IdempotentListener extends ForwardingListener {

    private final IdempotentConsumer consumer;

    private IdempotentListener(IdempotentConsumer consumer, EventListener listener) {
        super(listener);
        this.consumer = consumer;
    }

    static EventListener of(IdempotentConsumer consumer, EventListener listener) {
        return listener instanceof BatchEventListener batching
                ? new Batching(consumer, batching)
                : new IdempotentListener(consumer, listener);
    }

    /** An event was neither done nor did it fail: nothing of it is to be committed. */
    private static final class Undone extends NotDone {

        private static final long serialVersionUID = 1L;

        private final transient DispatchResult result;

        private Undone(DispatchResult result) {
            this.result = result;
        }
    }

    /** Not every event of a batch was done. */
    private static final class PartlyDone extends NotDone {

        private static final long serialVersionUID = 1L;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
        consumer.requireNoTransaction();
        try {
            return consumer.consumeAll(List.of(event), EventEnvelope::eventId, events -> {
                        DispatchResult result = super.onEvent(event, info);
                        if (result instanceof DispatchResult.Done) {
                            return result;
                        }
                        throw new Undone(result);
                    })
                    .orElse(DispatchResult.done());
        } catch (Undone e) {
            return e.result;
        }
    }

    /** A batch listener whose effect an event has once. */
    private static final class Batching extends ForwardingBatchListener {

        private final IdempotentConsumer consumer;

        private Batching(IdempotentConsumer consumer, BatchEventListener listener) {
            super(listener);
            this.consumer = consumer;
        }

        private record Delivery(EventEnvelope event, DeliveryInfo info) {}

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            consumer.requireNoTransaction();
            List<Delivery> deliveries = new ArrayList<>();
            for (int i = 0; i < events.size(); i++) {
                deliveries.add(new Delivery(events.get(i), infos.get(i)));
            }
            if (deliveries.size() == 1) {
                return oneByOne(deliveries, silence);
            }
            try {
                consumer.consumeAll(deliveries, delivery -> delivery.event.eventId(), open -> deliver(open, silence));
            } catch (PartlyDone e) {
                return oneByOne(deliveries, silence);
            }
            return deliveries.stream().map(delivery -> BatchOutcome.done()).toList();
        }

        private @Nullable Void deliver(List<Delivery> deliveries, Consumer<RouteUnavailableException> silence)
                throws Exception {
            List<BatchOutcome> outcomes = super.onEvents(
                    deliveries.stream().map(Delivery::event).toList(),
                    deliveries.stream().map(Delivery::info).toList(),
                    silence);
            if (outcomes == null || outcomes.size() != deliveries.size()) {
                throw new IllegalStateException("a batch listener must return one outcome per event");
            }
            if (!outcomes.stream().allMatch(BatchOutcome.done()::equals)) {
                throw new PartlyDone();
            }
            return null;
        }

        private List<BatchOutcome> oneByOne(List<Delivery> deliveries, Consumer<RouteUnavailableException> silence) {
            List<BatchOutcome> outcomes = new ArrayList<>();
            for (Delivery delivery : deliveries) {
                outcomes.add(alone(delivery, silence));
            }
            return outcomes;
        }

        private BatchOutcome alone(Delivery delivery, Consumer<RouteUnavailableException> silence) {
            EventListener single =
                    EventListener.informed((event, info) -> super.onEvents(List.of(event), List.of(info), silence)
                            .get(0)
                            .resultOrThrow());
            try {
                return BatchOutcome.of(new IdempotentListener(consumer, single).onEvent(delivery.event, delivery.info));
            } catch (Throwable e) {
                return BatchOutcome.failed(e);
            }
        }
    }
}
