package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Outcome;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a node does about a key while an event of it is in its hands. */
class KeyedChainDeliveryTest {

    private static final String TYPE = "type";
    private static final Duration LEASE = Duration.ofMillis(400);
    private static final Duration SETTLE_TIME = Duration.ofMillis(400);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Store store = new Store(new InMemoryOutboxBackend());
    private final Queue<String> begun = new ConcurrentLinkedQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    /** Counts looks, and takes nothing about one event if it is told so, as if somebody had locked its row. */
    private static final class Store extends ForwardingBackend {

        private final InMemoryOutboxBackend events;
        private final AtomicInteger looks = new AtomicInteger();
        private final AtomicInteger mostKeys = new AtomicInteger();
        private volatile String lockedRow;

        private Store(InMemoryOutboxBackend events) {
            super(events, events, events);
            this.events = events;
        }

        @Override
        public KeyedPage claimKeyed(KeyedRequest request) {
            looks.incrementAndGet();
            mostKeys.accumulateAndGet(request.keys().size(), Math::max);
            return super.claimKeyed(request);
        }

        @Override
        public Set<String> renew(String holder, Collection<String> eventIds) {
            requireFree(eventIds.contains(lockedRow));
            return super.renew(holder, eventIds);
        }

        @Override
        public Map<String, EventStatus> apply(String holder, List<Outcome> outcomes) {
            requireFree(outcomes.stream().anyMatch(outcome -> outcome.eventId().equals(lockedRow)));
            return super.apply(holder, outcomes);
        }

        private static void requireFree(boolean isLocked) {
            if (isLocked) {
                throw new IllegalStateException("somebody has locked the row");
            }
        }
    }

    @Test
    void aKeyIsNotLookedAtAgain() {
        try (Outbox outbox = open(Outbox.singleNode())) {
            String first = write(outbox);
            Waiting.until(PATIENCE, () -> "not begun", () -> begun.contains(first));
            int before = store.looks.get();

            String second = write(outbox);
            Waiting.pause(SETTLE_TIME);

            assertThat(store.looks).hasValue(before);
            mayEnd.countDown();
            Waiting.until(PATIENCE, () -> "begun: " + begun, () -> begun.contains(second));
        }
    }

    /** Batches of a listener are as large as there are keys. */
    @Test
    void aNodeThatIsAloneLeavesNoKeysToOthers() {
        mayEnd.countDown();
        List<EventEnvelope> events =
                IntStream.range(0, 100).mapToObj(i -> event("k" + i)).toList();
        try (Outbox writer =
                Outbox.writerOnly().backend(store).ordering(Ordering.byKey()).build()) {
            store.events.inTransaction(() -> writer.writer().writeAll(events));
        }

        Outbox outbox = open(Outbox.singleNode());
        try {
            Waiting.until(PATIENCE, () -> "begun: " + begun.size(), () -> begun.size() == events.size());
        } finally {
            outbox.close();
        }
        assertThat(store.mostKeys).hasValueGreaterThanOrEqualTo(events.size());
    }

    /**
     * Each event is written by another process, without a hint, once the one before it was found by looking at all
     * keys.
     */
    @Test
    void aNodeThatHasFoundWhatOthersWroteLooksAgainSoon() {
        int most = 5;
        try (Outbox writer =
                Outbox.writerOnly().backend(store).ordering(Ordering.byKey()).build()) {
            write(writer, "k0");
            Outbox outbox = Outbox.multiNode()
                    .backend(store)
                    .claimLocking(Duration.ofMinutes(5))
                    .intervalMs(TimeUnit.HOURS.toMillis(1))
                    .ordering(Ordering.byKey())
                    .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                        begun.add(event.eventId());
                        if (begun.size() < most) {
                            write(writer, "k" + begun.size());
                        }
                        return DispatchResult.done();
                    }))
                    .build();
            try {
                Waiting.until(PATIENCE, () -> "begun: " + begun, () -> begun.size() == most);
            } finally {
                outbox.close();
            }
        }
    }

    /** Its own lock can be renewed, but that of the event before it cannot, whose outcome is not written. */
    @Test
    void nothingBeginsWhileTheLockOfADeliveredEventBeforeItMayHaveRunOut() {
        try (Outbox outbox = open(Outbox.multiNode().claimLocking("node", LEASE))) {
            List<String> chain =
                    store.events.callInTransaction(() -> outbox.writer().writeAll(List.of(event(), event(), event())));
            String first = chain.get(0);
            Waiting.until(PATIENCE, () -> "not begun", () -> begun.contains(first));
            store.lockedRow = first;
            Waiting.pause(LEASE.multipliedBy(2));

            mayEnd.countDown();
            Waiting.pause(SETTLE_TIME);

            assertThat(begun).containsOnly(first);
            store.lockedRow = null;
            Waiting.until(PATIENCE, () -> "begun: " + begun, () -> begun.containsAll(chain));
        }
    }

    private Outbox open(Outbox.AbstractBuilder<?> builder) {
        return builder.backend(store)
                .ordering(Ordering.byKey())
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                    begun.add(event.eventId());
                    mayEnd.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                    return DispatchResult.done();
                }))
                .build();
    }

    private String write(Outbox outbox) {
        return write(outbox, "k");
    }

    private String write(Outbox outbox, String key) {
        return store.events.callInTransaction(() -> outbox.writer().write(event(key)));
    }

    private static EventEnvelope event() {
        return event("k");
    }

    private static EventEnvelope event(String key) {
        return EventEnvelope.builder(TYPE).aggregateId(key).payloadJson("{}").build();
    }
}
