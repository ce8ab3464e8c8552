package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.Gate;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NamedCodec;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several listeners for one event, each with its own fate. */
@Timeout(60)
@ExtendWith(NoLeftoverThreads.class)
class OutboxSubscriptionsTest {

    private static final String TYPE = "OrderPlaced";
    private static final Subscription MAIL = Subscription.of("mail", TYPE);
    private static final Subscription AUDIT = Subscription.of("audit", TYPE);
    private static final RetryPolicy AT_ONCE = attempts -> 0;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Map<String, List<EventEnvelope>> received = new ConcurrentHashMap<>();

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.backend(backend)
                .listenerRegistry(registry)
                .metrics(metrics)
                .intervalMs(Node.NEVER_MS)
                .drainTimeoutMs(1000);
    }

    private Outbox.SingleNodeBuilder manual() {
        return on(Outbox.singleNode()).startManually().listenersRegistered(() -> true);
    }

    private EventListener receiver(String who) {
        return event -> {
            received.computeIfAbsent(who, key -> new CopyOnWriteArrayList<>()).add(event);
            return DispatchResult.done();
        };
    }

    private List<EventEnvelope> receivedBy(String who) {
        return received.getOrDefault(who, List.of());
    }

    private List<String> originsReceivedBy(String who) {
        return receivedBy(who).stream().map(EventEnvelope::originId).toList();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder(TYPE).eventId(id).payloadJson("{}").build();
    }

    private List<String> write(Outbox outbox, EventEnvelope... events) {
        backend.begin();
        List<String> ids = outbox.writer().writeAll(List.of(events));
        backend.commit();
        return ids;
    }

    private List<String> storedTypes() {
        return backend.rows().stream().map(row -> row.event().eventType()).toList();
    }

    private Row rowOf(Subscription subscription) {
        return backend.rows().stream()
                .filter(row -> row.event().eventType().equals(subscription.storedEventType()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void eachGetsTheEventRightAfterTheCommit() {
        registry.register(TYPE, receiver("plain"));
        try (Outbox outbox = on(Outbox.singleNode())
                .subscribe("mail", TYPE, receiver("mail"))
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            write(outbox, event("e"));

            await().until(() -> backend.count(EventStatus.DONE) == 3);
        }

        assertThat(received.keySet()).containsExactlyInAnyOrder("plain", "mail", "audit");
        assertThat(metrics.get("hotEnqueued")).isEqualTo(3);
        assertThat(metrics.get("coldEnqueued")).isZero();
        assertThat(metrics.get("success")).isEqualTo(3);
    }

    @Test
    void theListenerSeesTheEventAsItWasWritten() {
        EventEnvelope written = EventEnvelope.builder(TYPE)
                .aggregateType("Order")
                .aggregateId("4711")
                .tenantId("acme")
                .header("a", "1")
                .payloadJson("{}")
                .build();
        try (Outbox outbox = manual().jsonCodec(new NamedCodec("own"))
                .subscribe(Subscription.of("mail", "Order", TYPE), receiver("mail"))
                .build()) {
            write(outbox, written);
            outbox.deliverDue();
        }

        EventEnvelope seen = receivedBy("mail").get(0);
        assertThat(seen.eventType()).isEqualTo(TYPE);
        assertThat(seen.originId()).isEqualTo(written.eventId());
        assertThat(seen.eventId()).isEqualTo(backend.rows().get(0).event().eventId());
        assertThat(seen.toBuilder().eventId(written.eventId()).build()).isEqualTo(written);
        assertThat(seen.payload(String.class)).isEqualTo("own read {}");
    }

    @Test
    void theListenerSeesTheSameEventFromTheStore() {
        List<EventEnvelope> seen = new ArrayList<>();
        try (Outbox outbox = manual().subscribe("mail", TYPE, event -> {
                    seen.add(event);
                    if (seen.size() == 1) {
                        throw new IllegalStateException("once more");
                    }
                    return DispatchResult.done();
                })
                .retryPolicy(AT_ONCE)
                .build()) {
            write(outbox, event("e"));
            outbox.deliverDue();
            outbox.deliverDue();
        }

        assertThat(seen).hasSize(2);
        assertThat(seen.get(1)).isEqualTo(seen.get(0));
        assertThat(seen.get(1).originId()).isEqualTo("e");
    }

    @Test
    void interceptorsAndCompletionListenersSeeTheRow() {
        List<String> seen = new ArrayList<>();
        try (Outbox outbox = manual().subscribe("mail", TYPE, receiver("mail"))
                .interceptor(EventInterceptor.before(event -> seen.add(event.eventType())))
                .completionListener(new CompletionListener() {
                    @Override
                    public void onDone(EventEnvelope event) {
                        seen.add(event.eventType() + " of " + event.originId());
                    }
                })
                .build()) {
            write(outbox, event("e"));
            outbox.deliverDue();
        }

        assertThat(seen).containsExactly("OrderPlaced#mail", "OrderPlaced#mail of e");
    }

    @Test
    void eachIsTriedByItself() {
        List<Integer> attempts = new ArrayList<>();
        try (Outbox outbox = manual().subscribe("audit", TYPE, receiver("audit"))
                .subscribe(MAIL, EventListener.informed((event, info) -> {
                    attempts.add(info.attempt());
                    if (info.attempt() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    return DispatchResult.done();
                }))
                .retryPolicy(AT_ONCE)
                .build()) {
            write(outbox, event("e"));
            IntStream.range(0, 3).forEach(i -> outbox.deliverDue());
        }

        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(receivedBy("audit")).hasSize(1);
        assertThat(backend.count(EventStatus.DONE)).isEqualTo(2);
    }

    @Test
    void oneMayDieWhileTheOthersSucceed() {
        registry.register(TYPE, receiver("plain"));
        try (Outbox outbox = manual().subscribe("audit", TYPE, receiver("audit"))
                .subscribe("mail", TYPE, event -> DispatchResult.dead("no address"))
                .build()) {
            write(outbox, event("e"));
            outbox.deliverDue();
        }

        assertThat(rowOf(MAIL).status()).isEqualTo(EventStatus.DEAD);
        assertThat(rowOf(MAIL).lastError()).isEqualTo("no address");
        assertThat(rowOf(AUDIT).status()).isEqualTo(EventStatus.DONE);
        assertThat(backend.status("e")).isEqualTo(EventStatus.DONE);
        assertThat(metrics.get("dead")).isEqualTo(1);
    }

    @Test
    void theListenerDecidesOnItsRetries() {
        try (Outbox outbox = manual().subscribe("mail", TYPE, EventListener.retrying(attempts -> 3_600_000, event -> {
                    throw new IllegalStateException("later");
                }))
                .subscribe(AUDIT, EventListener.retrying(attempts -> 7_200_000, (BatchEventListener) events -> {
                    throw new IllegalStateException("even later");
                }))
                .build()) {
            write(outbox, event("e"));
            outbox.deliverDue();
        }

        Instant now = Instant.now();
        assertThat(rowOf(MAIL).availableAt()).isBetween(now.plusSeconds(3500), now.plusSeconds(3700));
        assertThat(rowOf(AUDIT).availableAt()).isBetween(now.plusSeconds(7100), now.plusSeconds(7300));
    }

    @Test
    void aBatchListenerGetsItsEventsTogether() {
        List<List<String>> batches = new ArrayList<>();
        BatchEventListener two = new BatchEventListener() {
            @Override
            public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
                batches.add(events.stream()
                        .map(event -> event.eventType() + " " + event.originId())
                        .toList());
                return events.stream().map(event -> BatchOutcome.done()).toList();
            }

            @Override
            public int maxBatchSize() {
                return 2;
            }
        };
        try (Outbox outbox = manual().subscribe("mail", TYPE, two)
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            write(outbox, event("1"), event("2"), event("3"));
            outbox.deliverDue();
        }

        assertThat(batches).containsExactly(List.of(TYPE + " 1", TYPE + " 2"), List.of(TYPE + " 3"));
        assertThat(originsReceivedBy("audit")).containsExactly("1", "2", "3");
    }

    @Test
    void writesAreOfEventsAndTellTheirIds() {
        try (Outbox outbox = manual().subscribe("mail", TYPE, receiver("mail"))
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            EventEnvelope other = EventEnvelope.builder("OrderPaid")
                    .eventId("2")
                    .payloadJson("{}")
                    .build();

            assertThat(write(outbox, event("1"), other, event("3"))).containsExactly("1", "2", "3");
            backend.begin();
            assertThat(outbox.writer().write(event("4"))).isEqualTo("4");
            backend.commit();
        }

        assertThat(storedTypes())
                .containsExactly(
                        TYPE + "#mail",
                        TYPE + "#audit",
                        "OrderPaid",
                        TYPE + "#mail",
                        TYPE + "#audit",
                        TYPE + "#mail",
                        TYPE + "#audit");
    }

    @Test
    void aRollbackLeavesNoRow() {
        try (Outbox outbox = manual().subscribe("mail", TYPE, receiver("mail"))
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            backend.begin();
            outbox.writer().write(event("e"));
            backend.rollBack();
            assertThat(backend.rows()).isEmpty();
            assertThat(outbox.deliverDue()).isZero();

            write(outbox, event("e"));
            assertThat(outbox.deliverDue()).isEqualTo(2);
        }
    }

    @Test
    void anEventWrittenAgainIsADuplicate() {
        try (Outbox outbox = manual().subscribe("mail", TYPE, receiver("mail")).build()) {
            String id = write(outbox, EventEnvelope.ofJson(TYPE, "{}")).get(0);
            outbox.deliverDue();

            backend.begin();
            assertThatExceptionOfType(DuplicateEventException.class)
                    .isThrownBy(() -> outbox.writer()
                            .write(EventEnvelope.builder(TYPE)
                                    .eventId(id)
                                    .payloadJson("{}")
                                    .build()))
                    .satisfies(e -> assertThat(e.eventIds()).containsExactly(id));
            backend.rollBack();
        }

        assertThat(receivedBy("mail")).hasSize(1);
    }

    @Test
    void aHookDecidesOnTheEventAndIsToldOfItsRows() {
        List<String> calls = new ArrayList<>();
        WriterHook hook = new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                calls.add("before " + events.size());
                return events.stream()
                        .filter(event -> !event.eventId().equals("suppressed"))
                        .map(event -> event.toBuilder().header("trace", "t").build())
                        .toList();
            }

            @Override
            public void afterWrite(List<EventEnvelope> rows) {
                calls.add("written " + rows.size());
            }

            @Override
            public void afterCommit(List<EventEnvelope> rows) {
                calls.add("committed "
                        + rows.stream().map(EventEnvelope::eventType).toList());
            }
        };
        try (Outbox outbox = manual().writerHook(hook)
                .subscribe("mail", TYPE, receiver("mail"))
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            assertThat(write(outbox, event("e"), event("suppressed"))).containsExactly("e");
            outbox.deliverDue();
        }

        assertThat(calls).containsExactly("before 2", "written 2", "committed [OrderPlaced#mail, OrderPlaced#audit]");
        assertThat(List.of("mail", "audit"))
                .allSatisfy(who -> assertThat(receivedBy(who))
                        .singleElement()
                        .satisfies(event -> assertThat(event.headers()).containsEntry("trace", "t")));
    }

    @Test
    void aListenerMayBeRegisteredAfterTheOutboxIsBuilt() {
        try (Outbox outbox = manual().subscription(MAIL).build()) {
            registry.register(MAIL, receiver("mail"));
            registry.register(TYPE, receiver("plain"));
            write(outbox, event("e"));
            outbox.deliverDue();
        }

        assertThat(originsReceivedBy("mail")).containsExactly("e");
        assertThat(receivedBy("mail").get(0).eventType()).isEqualTo(TYPE);
        assertThat(originsReceivedBy("plain")).containsExactly("e");
    }

    @Test
    void aListenerMayBeRegisteredAfterTheFirstWriteUntilDeliveryStarts() {
        try (Outbox outbox = on(Outbox.singleNode())
                .startManually()
                .subscribe(MAIL, receiver("mail"))
                .build()) {
            write(outbox, event("e"));
            registry.register(TYPE, receiver("plain"));
            outbox.start();

            await().until(() -> backend.count(EventStatus.DONE) == 2);
        }

        assertThat(originsReceivedBy("mail")).containsExactly("e");
        assertThat(originsReceivedBy("plain")).containsExactly("e");
    }

    @Test
    void whatWasWrittenForAListenerThatNeverCameIsDone() {
        try (Outbox outbox = on(Outbox.singleNode())
                .startManually()
                .subscribe(MAIL, receiver("mail"))
                .build()) {
            write(outbox, event("before"));
            outbox.deliverDue();
            write(outbox, event("after"));
            outbox.deliverDue();
        }

        assertThat(backend.count(EventStatus.DONE)).isEqualTo(3);
        assertThat(backend.row("before").attempts()).isZero();
        assertThat(storedTypes()).containsExactlyInAnyOrder(TYPE, TYPE + "#mail", TYPE + "#mail");
        assertThat(originsReceivedBy("mail")).containsExactly("before", "after");
    }

    @Test
    void whatWasWrittenForAKnownListenerIsDeadWithoutIt() {
        registry.register(TYPE, receiver("plain"));
        try (Outbox before = manual().subscription(MAIL).build()) {
            write(before, event("e"));
        }
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry())
                .startManually()
                .subscribe(MAIL, receiver("mail"))
                .build()) {
            outbox.deliverDue();
        }

        assertThat(backend.status("e")).isEqualTo(EventStatus.DEAD);
        assertThat(rowOf(MAIL).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void amongSeveralNodesTheListenerMayComeWithANodeThatStartsLater() {
        try (Outbox old = node("old").subscribe(MAIL, receiver("mail")).build();
                Outbox fresh = node("new")
                        .startManually()
                        .subscribe(MAIL, receiver("mail"))
                        .listenerRegistry(new DefaultListenerRegistry().register(TYPE, receiver("plain")))
                        .build()) {
            try (Outbox starting = node("starting")
                    .startManually()
                    .subscribe(MAIL, receiver("mail"))
                    .build()) {
                write(starting, event("e"));
            }
            await().until(() -> originsReceivedBy("mail").size() == 1);
            await().until(() -> !old.status().unavailable().isEmpty());
            assertThat(backend.status("e")).isEqualTo(EventStatus.NEW);
            fresh.start();

            await().until(() -> backend.count(EventStatus.DONE) == 2);
        }

        assertThat(originsReceivedBy("plain")).containsExactly("e");
    }

    @Test
    void amongSeveralNodesWhatWasWrittenForAListenerThatNeverCameIsDoneAfterTheGrace() {
        try (Outbox outbox = node("only")
                .startManually()
                .unroutableGrace(Duration.ofMillis(100))
                .subscribe(MAIL, receiver("mail"))
                .build()) {
            write(outbox, event("e"));
            outbox.start();

            await().until(() -> backend.count(EventStatus.DONE) == 2);
        }

        assertThat(backend.status("e")).isEqualTo(EventStatus.DONE);
    }

    @Test
    void oneThatIsAddedGetsWhatIsWrittenFromThenOn() {
        registry.register(TYPE, receiver("plain"));
        try (Outbox before = manual().build()) {
            write(before, event("old"));
        }
        try (Outbox outbox = manual().subscribe("mail", TYPE, receiver("mail")).build()) {
            write(outbox, event("new"));
            outbox.deliverDue();
        }

        assertThat(originsReceivedBy("plain")).containsExactlyInAnyOrder("old", "new");
        assertThat(originsReceivedBy("mail")).containsExactly("new");
    }

    @Test
    void theRowsOfOneThatWasRemovedGoDeadAndSayWhy() {
        try (Outbox before = manual().subscription(MAIL)
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            write(before, event("e"));
        }
        try (Outbox outbox =
                manual().subscribe("audit", TYPE, receiver("audit")).build()) {
            outbox.deliverDue();
        }

        assertThat(rowOf(MAIL).status()).isEqualTo(EventStatus.DEAD);
        assertThat(rowOf(MAIL).lastError()).contains("Subscription 'mail' of event type 'OrderPlaced' has no listener");
        assertThat(originsReceivedBy("audit")).containsExactly("e");
    }

    @Test
    void whatWasRemovedIsNamedWithItsAggregateTypeIfItHasOne() {
        Subscription ofOrders = Subscription.of("mail", "Order", TYPE);
        try (Outbox before = manual().subscription(ofOrders).build()) {
            write(before, event("e").toBuilder().aggregateType("Order").build());
            before.deliverDue();
        }

        assertThat(rowOf(ofOrders).lastError())
                .contains("Subscription 'mail' of event type 'OrderPlaced' of aggregate type 'Order' has no listener");
    }

    @Test
    void anEventWhoseTypeOnlyLooksLikeARowIsLeftAsItIs() {
        EventEnvelope lookalike = EventEnvelope.ofJson("Order#Placed", "{}");
        EventEnvelope unknown = EventEnvelope.ofJson("Order#Lost", "{}");
        registry.register("Order#Placed", receiver("plain"));
        try (Outbox outbox = manual().build()) {
            write(outbox, lookalike, unknown);
            outbox.deliverDue();
        }

        assertThat(receivedBy("plain")).containsExactly(lookalike);
        assertThat(backend.row(unknown.eventId()).lastError())
                .contains("No listener")
                .contains("Order#Lost");
    }

    @Test
    void anOutboxThatOnlyWritesWritesForThoseWhoDeliver() {
        try (Outbox writer = Outbox.writerOnly()
                .backend(backend)
                .subscription(MAIL)
                .subscription(AUDIT)
                .build()) {
            assertThat(write(writer, event("e"))).containsExactly("e");
        }
        try (Outbox outbox = manual().subscribe(MAIL, receiver("mail"))
                .subscribe(AUDIT, receiver("audit"))
                .build()) {
            assertThat(outbox.deliverDue()).isEqualTo(2);
        }

        assertThat(originsReceivedBy("mail")).containsExactly("e");
        assertThat(originsReceivedBy("audit")).containsExactly("e");
    }

    @Test
    void anOutboxWritesForAListenerWithoutANameElsewhereIfItIsToldOfIt() {
        try (Outbox writer = Outbox.writerOnly()
                .backend(backend)
                .subscription(MAIL)
                .listenerElsewhere(AggregateType.GLOBAL.name(), TYPE)
                .build()) {
            assertThat(write(writer, event("e"))).containsExactly("e");
        }
        registry.register(TYPE, receiver("plain"));
        try (Outbox outbox = manual().subscribe(MAIL, receiver("mail")).build()) {
            assertThat(outbox.deliverDue()).isEqualTo(2);
        }

        assertThat(originsReceivedBy("mail")).containsExactly("e");
        assertThat(originsReceivedBy("plain")).containsExactly("e");
    }

    @Test
    void anOutboxThatOnlyDeliversNeedsNoDeclaration() {
        try (Outbox writer =
                Outbox.writerOnly().backend(backend).subscription(MAIL).build()) {
            write(writer, event("e"));
        }
        registry.register(MAIL, receiver("mail"));
        try (Outbox outbox = manual().build()) {
            outbox.deliverDue();
        }

        assertThat(receivedBy("mail"))
                .singleElement()
                .satisfies(event -> assertThat(event.eventType()).isEqualTo(TYPE));
    }

    @Test
    void severalNodesDeliverEachRowOnce() {
        List<Outbox> nodes = new ArrayList<>();
        try (Outbox writer = Outbox.writerOnly()
                .backend(backend)
                .subscription(MAIL)
                .subscription(AUDIT)
                .build()) {
            for (int i = 0; i < 100; i++) {
                write(writer, event("cold" + i));
            }
        }
        try {
            for (int i = 0; i < 2; i++) {
                nodes.add(on(Outbox.multiNode())
                        .claimLocking("node" + i, Duration.ofMinutes(1))
                        .subscribe(MAIL, receiver("mail"))
                        .subscribe(AUDIT, receiver("audit"))
                        .build());
            }
            for (int i = 0; i < 100; i++) {
                write(nodes.get(i % 2), event("hot" + i));
            }
            await().until(() -> backend.count(EventStatus.DONE) == 400);
        } finally {
            nodes.forEach(Outbox::close);
        }

        assertThat(List.of("mail", "audit"))
                .allSatisfy(
                        who -> assertThat(originsReceivedBy(who)).hasSize(200).doesNotHaveDuplicates());
        assertThat(metrics.get("hotEnqueued")).isEqualTo(200);
        assertThat(backend.locked()).isZero();
    }

    private Outbox.MultiNodeBuilder node(String name) {
        return on(Outbox.multiNode()).intervalMs(20).claimLocking(name, Duration.ofMinutes(1));
    }

    @Test
    void aNodeWithoutTheSubscriptionLeavesItsRowsToTheOthers() {
        try (Outbox writer =
                Outbox.writerOnly().backend(backend).subscription(MAIL).build()) {
            write(writer, event("e"));
        }
        try (Outbox old = node("old").build()) {
            await().until(() -> !old.status().unavailable().isEmpty());
            try (Outbox fresh = node("new").subscribe(MAIL, receiver("mail")).build()) {
                await().until(() -> backend.count(EventStatus.DONE) == 1);
                assertThat(fresh.status().unavailable()).isEmpty();
            }
        }

        assertThat(originsReceivedBy("mail")).containsExactly("e");
        assertThat(rowOf(MAIL).attempts()).isZero();
    }

    @Test
    void amongSeveralNodesTheRowsOfOneThatWasRemovedGoDeadAfterTheGrace() {
        try (Outbox writer =
                Outbox.writerOnly().backend(backend).subscription(MAIL).build()) {
            write(writer, event("e"));
        }
        try (Outbox outbox = node("new").unroutableGrace(Duration.ofMillis(100)).build()) {
            await().until(() -> outbox.deadEvents().count(null) == 1);
        }

        assertThat(rowOf(MAIL).lastError()).contains("Subscription 'mail' of event type 'OrderPlaced' has no listener");
    }

    @Test
    void oneInALaneOfItsOwnHoldsUpNobody() {
        Gate gate = new Gate();
        LanePolicy lane = LanePolicy.builder().maxAttempts(1).build();
        try (Outbox outbox = on(Outbox.singleNode())
                .workerCount(1)
                .subscribe(MAIL.inLane(lane), event -> {
                    gate.pass();
                    throw new IllegalStateException("the only attempt");
                })
                .subscribe(AUDIT, receiver("audit"))
                .build()) {
            write(outbox, event("1"));
            gate.awaitReached();
            write(outbox, event("2"));

            await().until(() -> originsReceivedBy("audit").size() == 2);
            assertThat(backend.count(EventStatus.DEAD)).isZero();
            gate.open();
            await().until(() -> backend.count(EventStatus.DEAD) == 2);
        }
    }

    @Test
    void anUnavailableTargetIsThatOfItsSubscriptionAlone() {
        try (Outbox outbox = manual().subscribe("mail", TYPE, event -> {
                    throw new RouteUnavailableException("no mail server");
                })
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            write(outbox, event("1"), event("2"));
            outbox.deliverDue();
        }

        assertThat(originsReceivedBy("audit")).containsExactly("1", "2");
        assertThat(rowOf(MAIL).status()).isEqualTo(EventStatus.NEW);
        assertThat(rowOf(MAIL).attempts()).isZero();
    }

    @Test
    void inOrderEachGetsEventsAsTheyWereWritten() {
        FiveMethodStore store = new FiveMethodStore();
        ManualTransaction transaction = new ManualTransaction(store);
        Instant sameTime = Instant.parse("2024-05-01T12:00:00Z");
        List<EventEnvelope> events = IntStream.range(0, 100)
                .mapToObj(i -> EventEnvelope.builder(TYPE)
                        .occurredAt(sameTime)
                        .payloadJson("{}")
                        .build())
                .toList();
        try (Outbox outbox = Outbox.ordered()
                .connectionProvider(new CountedConnections())
                .txContext(transaction)
                .outboxStore(store)
                .listenerRegistry(registry)
                .startManually()
                .subscribe("mail", TYPE, receiver("mail"))
                .subscribe("audit", TYPE, receiver("audit"))
                .build()) {
            transaction.begin();
            outbox.writer().writeAll(events);
            transaction.commit();
            outbox.deliverDue();
        }

        List<String> written = events.stream().map(EventEnvelope::eventId).toList();
        assertThat(originsReceivedBy("mail")).isEqualTo(written);
        assertThat(originsReceivedBy("audit")).isEqualTo(written);
    }

    @Test
    void inOrderNoneHasALane() {
        assertThatIllegalStateException()
                .isThrownBy(() -> on(Outbox.ordered())
                        .subscribe(MAIL.inLane(LanePolicy.builder().build()), receiver("mail"))
                        .build())
                .withMessageContaining("its own lane");
    }

    @Test
    void aRouteRefusesASecondOfTheSameName() {
        Outbox.SingleNodeBuilder builder = manual().subscribe(MAIL, receiver("mail"))
                .subscription(AUDIT)
                .subscription(Subscription.of("mail", "Order", TYPE))
                .subscription(Subscription.of("mail", "OrderPaid"));

        assertThatIllegalStateException()
                .isThrownBy(() -> builder.subscription(MAIL))
                .withMessageContaining("'mail'")
                .withMessageContaining(TYPE);
        assertThatIllegalStateException()
                .isThrownBy(() -> builder.subscribe("audit", TYPE, receiver("audit")))
                .withMessageContaining("'audit'");
    }

    @Test
    void aSubscriptionToAllTypesGetsEveryEventBesideTheOthers() {
        registry.register("Cancelled", receiver("plain"));
        try (Outbox outbox = manual().subscribe(MAIL, receiver("mail"))
                .subscribe(Subscription.of("audit", EventType.ANY), receiver("audit"))
                .build()) {
            backend.begin();
            outbox.writer().write(event("placed"));
            outbox.writer()
                    .write(EventEnvelope.builder("Cancelled")
                            .eventId("cancelled")
                            .payloadJson("{}")
                            .build());
            outbox.writer()
                    .write(EventEnvelope.builder("Shipped")
                            .eventId("shipped")
                            .aggregateType("Order")
                            .payloadJson("{}")
                            .build());
            backend.commit();
            outbox.deliverDue();
        }

        assertThat(originsReceivedBy("mail")).containsExactly("placed");
        assertThat(originsReceivedBy("plain")).containsExactly("cancelled");
        assertThat(originsReceivedBy("audit")).containsExactlyInAnyOrder("placed", "cancelled", "shipped");
        assertThat(receivedBy("audit"))
                .extracting(EventEnvelope::eventType)
                .containsExactlyInAnyOrder(TYPE, "Cancelled", "Shipped");
        assertThat(backend.row("shipped").status())
                .as("nobody but the audit receives it")
                .isEqualTo(EventStatus.DEAD);
        assertThat(backend.count(EventStatus.DONE)).isEqualTo(5);
    }

    @Test
    void aSubscriptionToOneTypeTakesThePlaceOfOneToAllTypesThatHasItsName() {
        try (Outbox outbox = manual().subscribe(AUDIT, receiver("audit of orders"))
                .subscribe(Subscription.of("audit", EventType.ANY), receiver("audit"))
                .build()) {
            backend.begin();
            outbox.writer().write(event("placed"));
            backend.commit();
            outbox.deliverDue();
        }

        assertThat(originsReceivedBy("audit of orders")).containsExactly("placed");
        assertThat(receivedBy("audit")).isEmpty();
    }

    @Test
    void aSubscriptionToAllTypesHasNoLane() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Subscription.of("audit", EventType.ANY)
                        .inLane(LanePolicy.builder().build()))
                .withMessageContaining("lanes are for one");
    }

    @Test
    void whatWaitsUnderAFormerNameReachesTheListenersOfTheType() {
        try (Outbox outbox = manual().subscribe(MAIL, receiver("mail"))
                .listenerElsewhere(AggregateType.GLOBAL.name(), TYPE)
                .build()) {
            backend.begin();
            outbox.writer().write(event("waits"));
            backend.commit();
        }
        registry.register("order-placed", receiver("plain")).alias(TYPE, "order-placed");

        try (Outbox outbox =
                manual().subscribe("mail", "order-placed", receiver("mail")).build()) {
            assertThat(outbox.deliverDue()).isEqualTo(2);
        }

        assertThat(originsReceivedBy("mail")).containsExactly("waits");
        assertThat(originsReceivedBy("plain")).containsExactly("waits");
        assertThat(receivedBy("mail").get(0).eventType()).as("as it was stored").isEqualTo(TYPE);
        assertThat(backend.count(EventStatus.DONE)).isEqualTo(2);
    }
}
