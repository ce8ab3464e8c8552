package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.CompletionListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.PayloadParseException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.dispatch.UnroutableEventException;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An application is told of the end of an event once the store knows it, in every mode, and only then. */
class CompletionListenerTest extends InMemoryOutboxTest {

    private static final String TYPE = "T";
    private static final String LAST = "Last";

    /** Everything that delivers. */
    private enum Delivering {
        SINGLE_NODE,
        MULTI_NODE,
        ORDERED
    }

    private final Recorder recorder = new Recorder();

    /** Notes each call, and what the store says at that time. */
    private final class Recorder implements CompletionListener {

        private final Queue<EventEnvelope> done = new ConcurrentLinkedQueue<>();
        private final Map<String, DeadEvent> dead = new ConcurrentHashMap<>();
        private final Queue<String> calls = new ConcurrentLinkedQueue<>();

        @Override
        public void onDone(EventEnvelope event) {
            calls.add(event.eventId() + " " + stored(event.eventId()).status());
            done.add(event);
        }

        @Override
        public void onDead(DeadEvent event) {
            calls.add(event.eventId() + " " + stored(event.eventId()).status());
            dead.put(event.eventId(), event);
        }
    }

    private Outbox.AbstractBuilder<?> outbox(Delivering mode, OutboxBackend engine) {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(5)).neverOn(IllegalArgumentException.class);
        return switch (mode) {
            case SINGLE_NODE -> on(engine, Outbox.singleNode()).maxAttempts(3).retryPolicy(policy);
            case MULTI_NODE ->
                on(engine, Outbox.multiNode())
                        .claimLocking("a", LEASE)
                        .unroutableGrace(Duration.ZERO)
                        .maxAttempts(3)
                        .retryPolicy(policy);
            case ORDERED -> on(engine, Outbox.ordered()).intervalMs(20);
        };
    }

    private Outbox.AbstractBuilder<?> outbox(Delivering mode) {
        return outbox(mode, backend).completionListener(recorder);
    }

    private static EventListener throwing(Exception error) {
        return event -> {
            throw error;
        };
    }

    /** Writes one more event and waits for its end, which comes after that of all before it. */
    private void awaitLast(Outbox outbox) {
        registry.register(LAST, event -> DispatchResult.done());
        String last = write(outbox, events(LAST, 1)).get(0);
        awaitThat(() -> assertThat(recorder.calls).contains(last + " DONE"));
        recorder.done.removeIf(event -> event.eventId().equals(last));
        recorder.calls.remove(last + " DONE");
    }

    @ParameterizedTest
    @EnumSource(Delivering.class)
    void successIsToldOnceItIsDurable(Delivering mode) {
        registry.register(TYPE, deliveries.succeeding());
        Outbox outbox = open(outbox(mode));
        List<EventEnvelope> events = events(TYPE, 50);

        List<String> written = write(outbox, events);
        awaitLast(outbox);

        awaitThat(() -> assertThat(recorder.done).containsExactlyInAnyOrderElementsOf(events));
        assertThat(recorder.calls)
                .containsExactlyInAnyOrderElementsOf(
                        written.stream().map(id -> id + " DONE").toList());
        assertThat(recorder.dead).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Delivering.class)
    void deathIsToldOnceItIsDurableWithReasonAndCause(Delivering mode) {
        IOException failure = new IOException("always");
        UnrecoverableException hopeless = new UnrecoverableException("hopeless");
        IllegalArgumentException unworthy = new IllegalArgumentException("not worth a retry");
        registry.register("Failing", throwing(failure));
        registry.register("Hopeless", throwing(hopeless));
        registry.register("Unworthy", throwing(unworthy));
        registry.register("Rejected", event -> DispatchResult.dead("rejected"));
        registry.register("Silent", event -> DispatchResult.dead());
        Outbox outbox = open(outbox(mode));

        List<String> written = new ArrayList<>();
        for (String type : List.of("Failing", "Hopeless", "Unworthy", "Rejected", "Silent", "Unknown")) {
            written.addAll(write(outbox, events(type, 1)));
        }

        awaitThat(() -> assertThat(recorder.dead).containsOnlyKeys(written));
        assertThat(recorder.calls)
                .containsExactlyInAnyOrderElementsOf(
                        written.stream().map(id -> id + " DEAD").toList());
        assertDead(written.get(0), "Failing", "java.io.IOException: always", failure);
        assertDead(written.get(1), "Hopeless", hopeless.toString(), hopeless);
        assertDead(written.get(2), "Unworthy", unworthy.toString(), unworthy);
        assertDead(written.get(3), "Rejected", "rejected", null);
        assertDead(written.get(4), "Silent", null, null);
        assertThat(recorder.dead.get(written.get(5)).cause()).isInstanceOf(UnroutableEventException.class);
        assertThat(written)
                .allSatisfy(id -> assertThat(recorder.dead.get(id).reason())
                        .isEqualTo(stored(id).lastError()));
    }

    private void assertDead(String id, String type, String reason, Throwable cause) {
        CompletionListener.DeadEvent dead = recorder.dead.get(id);
        assertThat(dead.eventType()).isEqualTo(type);
        assertThat(dead.envelope().eventId()).isEqualTo(id);
        assertThat(dead.reason() == null ? null : FailureText.of(dead.reason()).summary())
                .isEqualTo(reason);
        assertThat(dead.cause()).isSameAs(cause);
    }

    @ParameterizedTest
    @EnumSource(
            value = Delivering.class,
            names = {"SINGLE_NODE", "MULTI_NODE"})
    void anAttemptThatIsNotTheLastIsNotTold(Delivering mode) {
        registry.register(TYPE, EventListener.informed((event, info) -> {
            if (deliveries.attempts(event.eventId()) == 0) {
                deliveries.enter(event);
                deliveries.exit(event);
                return DispatchResult.retryAfter(Duration.ofMillis(5));
            }
            if (!info.isRetry()) {
                throw new IOException("once");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(outbox(mode));

        String id = write(outbox, events(TYPE, 1)).get(0);

        awaitThat(() -> assertThat(recorder.calls).containsExactly(id + " DONE"));
    }

    @ParameterizedTest
    @EnumSource(Delivering.class)
    void anEventThatCannotBeReadIsToldWithoutEnvelope(Delivering mode) {
        String id = store(events(TYPE, 1)).get(0);
        open(outbox(mode, withBrokenHeaders(backend)).completionListener(recorder));

        awaitThat(() -> assertThat(recorder.dead).containsOnlyKeys(id));
        CompletionListener.DeadEvent dead = recorder.dead.get(id);
        assertThat(dead.eventType()).isEqualTo(TYPE);
        assertThat(dead.envelope()).isNull();
        assertThat(dead.cause()).isInstanceOf(PayloadParseException.class);
        assertThat(dead.reason()).isEqualTo(stored(id).lastError()).isNotNull();
    }

    /** Returns an engine whose rows have headers that nobody can read. */
    private static OutboxBackend withBrokenHeaders(OutboxBackend target) {
        return (OutboxBackend) Proxy.newProxyInstance(
                CompletionListenerTest.class.getClassLoader(),
                new Class<?>[] {OutboxBackend.class},
                (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(target, args);
                        if (result instanceof ClaimedPage page) {
                            return new ClaimedPage(broken(page.events()), page.takenOver(), page.next());
                        }
                        return method.getName().equals("fetch") ? broken((Page<?>) result) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Page<DueEvent> broken(Page<?> page) {
        return new Page<>(broken(page.items().stream().map(DueEvent.class::cast).toList()), page.next());
    }

    private static List<DueEvent> broken(List<DueEvent> rows) {
        return rows.stream()
                .map(DueEvent::event)
                .map(row -> new OutboxEvent(
                        row.eventId(),
                        row.eventType(),
                        row.aggregateType(),
                        row.aggregateId(),
                        row.tenantId(),
                        row.payloadJson(),
                        "{broken",
                        row.attempts(),
                        row.createdAt(),
                        row.availableAt()))
                .map(row -> new DueEvent(row, null))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = Delivering.class,
            names = {"SINGLE_NODE", "MULTI_NODE"})
    void deathByTheStoresOwnCountIsTold(Delivering mode) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        registry.register(TYPE, event -> {
            entered.countDown();
            leave.await();
            throw new IOException("first here, third there");
        });
        Outbox outbox = open(outbox(mode));
        String id = write(outbox, events(TYPE, 1)).get(0);
        entered.await();

        // two more attempts are counted behind the node's back, which goes on holding the event
        String owner = stored(id).lockedBy();
        for (int attempts = 0; attempts < 2; attempts++) {
            backend.apply(owner, List.of(new Outcome.Failed(id, Instant.now(), attempts, 3, "elsewhere")));
            if (owner != null) {
                backend.claim(claimBy(owner));
            }
        }
        leave.countDown();

        awaitThat(() -> assertThat(recorder.dead).containsOnlyKeys(id));
        assertDead(
                id,
                TYPE,
                "java.io.IOException: first here, third there",
                recorder.dead.get(id).cause());
        assertThat(stored(id).attempts()).isEqualTo(3);
    }

    private ClaimRequest claimBy(String owner) {
        return new ClaimRequest(
                new Lease(owner, LEASE),
                Instant.now().plusSeconds(1),
                new ClaimRequest.Scope(EventTypes.ALL, Duration.ZERO, true),
                10,
                null);
    }

    @Test
    void anOutcomeThatIsRefusedIsNotTold() throws Exception {
        CountDownLatch entered = new CountDownLatch(2);
        CountDownLatch leave = new CountDownLatch(1);
        registry.register(TYPE, event -> {
            entered.countDown();
            leave.await();
            return DispatchResult.done();
        });
        registry.register("Failing", event -> {
            entered.countDown();
            leave.await();
            throw new UnrecoverableException("never");
        });
        Outbox outbox = open(outbox(Delivering.MULTI_NODE));
        List<String> lost = all(write(outbox, events(TYPE, 1)), write(outbox, events("Failing", 1)));
        entered.await();

        awaitThat(
                () -> { // the node polls, and may be the first to claim them again
                    backend.release("a", lost);
                    backend.claim(claimBy("b"));
                    assertThat(lost).allMatch(id -> "b".equals(stored(id).lockedBy()));
                });
        leave.countDown();

        awaitThat(() -> assertThat(metrics.fenced()).isEqualTo(2));
        awaitLast(outbox);
        assertThat(recorder.calls).isEmpty();
        assertStatus(EventStatus.NEW, lost);
    }

    @Test
    void aListenerThatFailsHarmsNobody() {
        registry.register(TYPE, deliveries.succeeding());
        registry.register("Failing", throwing(new UnrecoverableException("never")));
        CompletionListener failing = new CompletionListener() {
            @Override
            public void onDone(EventEnvelope event) {
                throw new IllegalStateException("done");
            }

            @Override
            public void onDead(DeadEvent event) {
                throw new NoClassDefFoundError("dead");
            }
        };
        Outbox outbox = open(outbox(Delivering.SINGLE_NODE, backend)
                .completionListener(failing)
                .completionListener(recorder));

        List<String> done = write(outbox, events(TYPE, 20));
        List<String> dead = write(outbox, events("Failing", 20));

        awaitDeliveredOnce(done);
        awaitThat(() -> assertThat(recorder.dead).containsOnlyKeys(dead));
        awaitThat(() -> assertThat(recorder.done).hasSize(20));
        assertThat(recorder.calls).hasSize(40);
    }

    @Test
    void aListenerMayWriteAnEventThatFollows() {
        registry.register(TYPE, throwing(new UnrecoverableException("never")));
        registry.register("Alert", deliveries.succeeding());
        Outbox[] outbox = new Outbox[1];
        Queue<String> alerts = new ConcurrentLinkedQueue<>();
        outbox[0] = open(outbox(Delivering.SINGLE_NODE).completionListener(new CompletionListener() {
            @Override
            public void onDead(DeadEvent event) {
                backend.inTransaction(() -> alerts.add(outbox[0].writer().write("Alert", "{}")));
            }
        }));

        write(outbox[0], events(TYPE, 10));

        awaitThat(() -> assertThat(alerts).hasSize(10));
        awaitDeliveredOnce(alerts);
    }
}
