package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ContextPropagator;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is called before an event of one listener is dead. */
@Timeout(60)
@ExtendWith(NoLeftoverThreads.class)
class EventFallbackTest {

    private static final String TYPE = "OrderPlaced";

    /** A clock that a test moves. */
    private static final class Time extends Clock {

        private Instant now = Instant.now();

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    private final ScriptedBackend store = new ScriptedBackend().withoutTransactions();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Time time = new Time();
    private final AtomicBoolean broken = new AtomicBoolean();
    private Outbox outbox;

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
        }
    }

    private final EventFallback fallback = (event, info, cause) -> {
        calls.add("fallback " + event.eventId() + " attempt " + info.attempt() + " " + event.eventType() + ": "
                + cause.getMessage());
        if (broken.get()) {
            throw new IllegalStateException("fallback is broken");
        }
    };

    private EventListener failing(Exception error) {
        return EventListener.withFallback(fallback, event -> {
            calls.add("listener " + event.eventId());
            throw error;
        });
    }

    private Outbox.SingleNodeBuilder builder(EventListener listener) {
        return Outbox.singleNode()
                .backend(store)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .clock(time)
                .maxAttempts(2)
                .retryPolicy(attempts -> 0)
                .startManually();
    }

    private void deliver(Outbox.SingleNodeBuilder builder) {
        outbox = builder.build();
        outbox.deliverDue();
    }

    private void put(String... ids) {
        for (String id : ids) {
            store.put(EventEnvelope.builder(TYPE)
                    .eventId(id)
                    .occurredAt(time.instant())
                    .payloadJson("{}")
                    .build());
        }
    }

    @Test
    void isCalledAfterTheLastAttemptAndBeforeTheEventIsDead() {
        put("e");
        store.before(Op.APPLY, call -> calls.add("store"));

        deliver(builder(failing(new IllegalStateException("no mail server"))));
        outbox.deliverDue();

        assertThat(calls)
                .containsExactly(
                        "listener e",
                        "store",
                        "listener e",
                        "fallback e attempt 2 OrderPlaced: no mail server",
                        "store");
        assertThat(store.status("e")).isEqualTo(EventStatus.DEAD);
        assertThat(store.row("e").attempts()).isEqualTo(2);
        assertThat(store.row("e").lastError()).contains("no mail server");
    }

    @Test
    void isCalledOnceForWhatNoRetryCanMend() {
        put("e");
        deliver(builder(failing(new UnrecoverableException("no such customer"))));

        assertThat(calls).containsExactly("listener e", "fallback e attempt 1 OrderPlaced: no such customer");
        assertThat(store.status("e")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void isToldTheReasonThatAListenerReturns() {
        put("e");
        deliver(builder(EventListener.withFallback(fallback, event -> DispatchResult.dead("too late"))));

        assertThat(calls).containsExactly("fallback e attempt 1 OrderPlaced: too late");
        assertThat(store.row("e").lastError()).isEqualTo("too late");
    }

    @Test
    void isNotCalledWhenTheEventSucceedsOrIsDeferred() {
        put("e", "f");
        deliver(builder(EventListener.withFallback(
                fallback,
                event -> event.eventId().equals("e")
                        ? DispatchResult.done()
                        : DispatchResult.retryAfter(Duration.ofHours(1)))));

        assertThat(calls).isEmpty();
    }

    @Test
    void anEventIsNotDeadAsLongAsItsFallbackFails() {
        try (LogLines log = new LogLines()) {
            put("e");
            broken.set(true);
            deliver(builder(failing(new UnrecoverableException("no such customer"))));

            assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
            assertThat(store.row("e").attempts()).isZero();
            assertThat(store.row("e").availableAt()).isAfter(time.instant());
            assertThat(log.at(Level.WARNING, "The fallback of event e (type OrderPlaced) failed"))
                    .hasSize(1);

            time.now = time.now.plusSeconds(61);
            outbox.deliverDue();
            assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
            assertThat(log.at(Level.WARNING, "fallback"))
                    .as("the first is loud")
                    .hasSize(1);

            broken.set(false);
            time.now = time.now.plusSeconds(61);
            outbox.deliverDue();
            assertThat(store.status("e")).isEqualTo(EventStatus.DEAD);
            assertThat(log.at(Level.INFO, "works again")).hasSize(1);
        }
    }

    @Test
    void afterABrokenFallbackTheListenerMaySucceed() {
        put("e");
        broken.set(true);
        AtomicBoolean mended = new AtomicBoolean();
        try (LogLines log = new LogLines()) {
            deliver(builder(EventListener.withFallback(fallback, event -> {
                if (mended.get()) {
                    return DispatchResult.done();
                }
                throw new UnrecoverableException("no such customer");
            })));
            assertThat(log.at(Level.WARNING, "fallback")).hasSize(1);
        }
        mended.set(true);
        time.now = time.now.plusSeconds(61);
        outbox.deliverDue();

        assertThat(store.status("e")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void aFallbackThatWantsAnUnreadablePayloadIsNotWaitedForForEver() {
        put("e");
        EventFallback reading = (event, info, cause) -> {
            calls.add("fallback");
            throw new PayloadParseException("cannot be read");
        };
        try (LogLines log = new LogLines()) {
            deliver(builder(EventListener.withFallback(reading, event -> {
                throw new PayloadParseException("cannot be read");
            })));
            assertThat(log.at(Level.WARNING, "goes DEAD without it")).hasSize(1);
        }

        assertThat(calls).containsExactly("fallback");
        assertThat(store.status("e")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void eachEventOfABatchHasItsOwn() {
        put("a", "b", "c");
        BatchEventListener batch = events -> events.stream()
                .map(event -> event.eventId().equals("b")
                        ? BatchOutcome.done()
                        : BatchOutcome.failed(new UnrecoverableException("refused")))
                .toList();

        deliver(builder(EventListener.withFallback(fallback, batch)));

        assertThat(calls)
                .containsExactly(
                        "fallback a attempt 1 OrderPlaced: refused", "fallback c attempt 1 OrderPlaced: refused");
        assertThat(store.status("b")).isEqualTo(EventStatus.DONE);
        assertThat(store.count(EventStatus.DEAD)).isEqualTo(2);
    }

    @Test
    void aSubscriptionSeesTheEventAndNotItsRow() {
        EventListener done = event -> DispatchResult.done();
        outbox = builder(done)
                .subscribe("mail", TYPE, failing(new UnrecoverableException("refused")))
                .build();
        outbox.writer()
                .write(EventEnvelope.builder(TYPE)
                        .occurredAt(time.instant())
                        .payloadJson("{}")
                        .build());
        outbox.deliverDue();

        assertThat(calls).hasSize(2);
        assertThat(calls.get(1)).contains("OrderPlaced: refused").doesNotContain("#mail");
        assertThat(store.count(EventStatus.DEAD)).isEqualTo(1);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(1);
    }

    @Test
    void isCalledInTheContextOfTheEvent() {
        ThreadLocal<String> tenant = new ThreadLocal<>();
        outbox = builder(EventListener.withFallback(
                        (event, info, cause) -> calls.add(tenant.get()), event -> DispatchResult.dead()))
                .contextPropagator(new ContextPropagator() {
                    @Override
                    public Map<String, String> capture() {
                        return Map.of("tenant", "acme");
                    }

                    @Override
                    public Scope restore(Map<String, String> headers) {
                        tenant.set(headers.get("tenant"));
                        return tenant::remove;
                    }
                })
                .build();
        outbox.writer()
                .write(EventEnvelope.builder(TYPE)
                        .occurredAt(time.instant())
                        .payloadJson("{}")
                        .build());
        outbox.deliverDue();

        assertThat(calls).containsExactly("acme");
    }

    @Test
    void anEventThatIsCutShortByTheEndOfTheOutboxIsNotGivenUp() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        put("e");
        outbox = Outbox.singleNode()
                .backend(store)
                .listenerRegistry(new DefaultListenerRegistry()
                        .register(TYPE, EventListener.withFallback(fallback, event -> {
                            reached.countDown();
                            new CountDownLatch(1).await();
                            return DispatchResult.done();
                        })))
                .maxAttempts(1)
                .drainTimeoutMs(0)
                .intervalMs(20)
                .build();
        assertThat(reached.await(30, TimeUnit.SECONDS)).isTrue();
        outbox.close();

        assertThat(calls).isEmpty();
        assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    }
}
