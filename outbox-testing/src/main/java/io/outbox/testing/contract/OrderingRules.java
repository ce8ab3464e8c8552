package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.BlockedKeys;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Ordering.OnExhausted;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.UnrecoverableException;
import io.outbox.model.BlockedKey;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Rules of delivery in the order of keys, from the write to the listener. */
abstract class OrderingRules extends DeliveryRules {

    /** Longer than any test waits. */
    private static final long SELDOM_MS = 600_000;

    private final OrderJudge judge = new OrderJudge();

    OrderingRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    private Outbox.SingleNodeBuilder alone() {
        return singleNode().coldQueueCapacity(100).ordering(Ordering.byKey());
    }

    private Outbox.MultiNodeBuilder oneOfSeveral(String name, Duration lease) {
        return multiNode(name, lease).coldQueueCapacity(100).ordering(Ordering.byKey());
    }

    @Test
    void anEngineThatCannotKeepOrderIsRefused() {
        if (!backend.supports(Capability.KEYED)) {
            assertThatThrownBy(() -> alone().build()).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> ordered().ordering(Ordering.byKey()).build())
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void oneNodeDeliversEachKeyInOrder() throws Exception {
        registry.register(TYPE, judge.listener(this::failSometimes));
        Outbox outbox = open(alone());

        writeLoad(List.of(outbox), 20);

        awaitAll();
        judge.assertOrder();
        judge.assertNothingRepeated();
    }

    @Test
    void severalNodesDeliverEachKeyInOrder() throws Exception {
        registry.register(TYPE, judge.listener(this::failSometimes));

        writeLoad(openNodes(), 20);

        awaitAll();
        judge.assertOrder();
        judge.assertNothingRepeated();
    }

    @Test
    void severalNodesDeliverFewKeysInOrderAndKeepNothing() throws Exception {
        registry.register(TYPE, judge.listener(this::failSometimes));
        List<Outbox> nodes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            nodes.add(open(oneOfSeveral("node-" + i, LEASE).purgeRetention(Duration.ZERO)));
        }

        writeLoad(nodes, 3);

        awaitAll();
        judge.assertOrder();
        judge.assertNothingRepeated();
        Waiting.until(
                size.patience(),
                () -> "events left: " + backend.counts(),
                () -> backend.counts().isEmpty());
    }

    @Test
    void aBacklogIsDeliveredInOrder() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {}));
        Outbox writer = open(alone().startManually());
        writeLoad(List.of(writer), 30);
        writer.close();

        openNodes();

        awaitAll();
        judge.assertOrder();
        judge.assertNothingRepeated();
    }

    @Test
    void anEventThatFailsHoldsUpItsKeyAndNoOther() throws Exception {
        CountDownLatch mayPass = new CountDownLatch(1);
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if ("blocked".equals(event.key()) && mayPass.getCount() > 0) {
                throw new IllegalStateException("not yet");
            }
        }));
        List<Outbox> nodes = openNodes(builder -> builder.maxAttempts(1_000_000));
        write(nodes.get(0), "blocked");
        write(nodes.get(1), "blocked");
        String other = write(nodes.get(0), "other");
        String unkeyed = write(nodes.get(0), null);

        awaitStatus(EventStatus.DONE, List.of(other, unkeyed));
        assertThat(judge.deliveredOf("blocked")).isEmpty();
        mayPass.countDown();

        awaitAll();
        judge.assertOrder();
    }

    @Test
    void anEventThatFailsForGoodKeepsItsPlace() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if (event.payloadJson().contains("bad")) {
                throw attempt == 1 ? new IllegalStateException("again") : new UnrecoverableException("never");
            }
        }));
        Outbox outbox = open(alone());
        String bad = write(outbox, "k", "{\"is\":\"bad\"}");
        String good = write(outbox, "k");

        Waiting.until(size.patience(), () -> "not parked: " + stored(bad), () -> isParked(bad));
        Waiting.pause(SETTLE_TIME);

        assertThat(stored(bad).status()).isEqualTo(EventStatus.RETRY);
        assertThat(stored(bad).attempts()).isEqualTo(2);
        assertThat(stored(good).status()).isEqualTo(EventStatus.NEW);
        assertThat(backend.keyHeads("", 10))
                .singleElement()
                .satisfies(head -> assertThat(head.eventId()).isEqualTo(bad))
                .satisfies(head -> assertThat(head.isParked()).isTrue());
    }

    @Test
    void anOperatorResumesOrSkipsWhatBlocksAKey() throws Exception {
        CountDownLatch isMended = new CountDownLatch(1);
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if (event.payloadJson().contains("bad") && isMended.getCount() > 0) {
                throw new UnrecoverableException("never");
            }
        }));
        RecordedMetrics counted = new RecordedMetrics();
        Outbox outbox = open(alone().metrics(counted));
        String resumed = write(outbox, "resumed", "{\"is\":\"bad\"}");
        String behindResumed = write(outbox, "resumed");
        String skipped = write(outbox, "skipped", "{\"is\":\"bad\"}");
        String behindSkipped = write(outbox, "skipped");
        Waiting.until(size.patience(), () -> "not parked", () -> isParked(resumed) && isParked(skipped));
        BlockedKeys blocked = outbox.blockedKeys().orElseThrow();
        List<BlockedKey> keys = blocked.list(10);
        assertThat(keys).extracting(key -> key.event().eventId()).containsExactlyInAnyOrder(resumed, skipped);
        assertThat(keys).allSatisfy(key -> {
            assertThat(key.waiting()).isEqualTo(1);
            assertThat(key.event().lastError()).contains("never");
            assertThat(key.since())
                    .isBetween(engine.now().minusSeconds(300), engine.now().plusSeconds(300));
        });
        String resumedKey = keyOf(keys, resumed);
        String skippedKey = keyOf(keys, skipped);

        assertThat(blocked.skip(resumedKey, skipped, "another event"))
                .as("only the event that the operator has seen")
                .isFalse();
        isMended.countDown();
        assertThat(blocked.resume(resumedKey, resumed)).isTrue();
        assertThat(blocked.skip(skippedKey, skipped, "not needed")).isTrue();

        awaitStatus(EventStatus.DONE, List.of(resumed, behindResumed, behindSkipped));
        awaitStatus(EventStatus.DEAD, List.of(skipped));
        assertThat(blocked.list(10)).isEmpty();
        assertThat(blocked.resume(resumedKey)).isFalse();
        assertThat(counted.keyed()).containsExactlyInAnyOrder("parked", "parked", "resumed", "skipped");
        assertThat(counted.keysTaken()).isPositive();
    }

    private static String keyOf(List<BlockedKey> keys, String eventId) {
        return keys.stream()
                .filter(key -> key.event().eventId().equals(eventId))
                .findFirst()
                .orElseThrow()
                .key();
    }

    @Test
    void ofTwoOperatorsOneHasEffect() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {
            throw new UnrecoverableException("never");
        }));
        Outbox outbox = open(alone());
        String bad = write(outbox, "k");
        Waiting.until(size.patience(), () -> "not parked: " + stored(bad), () -> isParked(bad));
        BlockedKeys blocked = outbox.blockedKeys().orElseThrow();
        String key = blocked.list(1).get(0).key();
        Queue<String> effective = new ConcurrentLinkedQueue<>();
        List<Callable<Void>> operators = new ArrayList<>();
        for (String name : List.of("one", "another", "a third")) {
            operators.add(() -> {
                if (blocked.skip(key, bad, "skipped by " + name)) {
                    effective.add("skipped by " + name);
                }
                return null;
            });
        }

        Parallel.run(operators);

        awaitStatus(EventStatus.DEAD, List.of(bad));
        assertThat(effective).hasSize(1);
        assertThat(stored(bad).lastError()).startsWith(effective.peek()).contains("never");
    }

    @Test
    void aHeadThatIsCancelledOrRetriedLetsItsKeyGoOn() throws Exception {
        CountDownLatch isMended = new CountDownLatch(1);
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if (event.payloadJson().contains("bad") && isMended.getCount() > 0) {
                throw new IllegalStateException("not yet");
            }
        }));
        Outbox outbox = open(alone().retryPolicy(attempts -> 3_600_000L));
        String retried = write(outbox, "retried", "{\"is\":\"bad\"}");
        String behindRetried = write(outbox, "retried");
        String cancelled = write(outbox, "cancelled", "{\"is\":\"bad\"}");
        String behindCancelled = write(outbox, "cancelled");
        awaitStatus(EventStatus.RETRY, List.of(retried, cancelled));
        isMended.countDown();
        Waiting.until(
                size.patience(),
                () -> "never free",
                () -> outbox.waiting().retryNow(List.of(retried)).isMade()
                        && outbox.waiting().cancel(List.of(cancelled), "ann").isMade());

        awaitStatus(EventStatus.DONE, List.of(retried, behindRetried, behindCancelled));
        awaitStatus(EventStatus.DEAD, List.of(cancelled));
        assertThat(judge.deliveredOf("retried")).containsExactly(retried, behindRetried);
        assertThat(judge.deliveredOf("cancelled")).containsExactly(behindCancelled);
    }

    @Test
    void anEventThatUsesUpItsAttemptsKeepsItsPlace() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {
            throw new IllegalStateException("always");
        }));
        Outbox outbox = open(alone().maxAttempts(3));
        String bad = write(outbox, "k");

        Waiting.until(size.patience(), () -> "not parked: " + stored(bad), () -> isParked(bad));

        assertThat(stored(bad).status()).isEqualTo(EventStatus.RETRY);
        assertThat(stored(bad).attempts()).isEqualTo(3);
    }

    @Test
    void anEventThatFailsForGoodIsSkippedIfThatIsWanted() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if (event.payloadJson().contains("bad")) {
                throw new UnrecoverableException("never");
            }
        }));
        Outbox outbox = open(alone().ordering(Ordering.byKey().onExhausted(OnExhausted.SKIP)));
        String bad = write(outbox, "k", "{\"is\":\"bad\"}");
        String good = write(outbox, "k");

        awaitStatus(EventStatus.DEAD, List.of(bad));
        awaitStatus(EventStatus.DONE, List.of(good));
    }

    @Test
    void aReplayedEventIsNotDeliveredBesideALaterOneOfItsKey() throws Exception {
        if (multiNodeIsRefused()) {
            return;
        }
        CountDownLatch isBegun = new CountDownLatch(1);
        CountDownLatch mayPass = new CountDownLatch(1);
        registry.register(TYPE, judge.listener((event, attempt) -> {
            if (event.payloadJson().contains("bad") && attempt == 1) {
                throw new UnrecoverableException("not yet");
            }
            if (event.payloadJson().contains("slow")) {
                isBegun.countDown();
                awaitLatch(mayPass);
            }
        }));
        Ordering skipping = Ordering.byKey().onExhausted(OnExhausted.SKIP);
        Outbox outbox = open(oneOfSeveral("node-1", LEASE).ordering(skipping));
        open(oneOfSeveral("node-2", LEASE).ordering(skipping).intervalMs(50));
        String dead = write(outbox, "k", "{\"is\":\"bad\"}");
        awaitStatus(EventStatus.DEAD, List.of(dead));
        String slow = write(outbox, "k", "{\"is\":\"slow\"}");
        awaitLatch(isBegun);

        assertThat(backend.replayDead(List.of(dead))).isEqualTo(1);
        Waiting.pause(SETTLE_TIME);

        assertThat(judge.deliveredOf("k")).isEmpty();
        mayPass.countDown();
        awaitStatus(EventStatus.DONE, List.of(slow, dead));
        judge.assertOneAtATime();
    }

    @Test
    void eachSubscriptionHasItsOwnOrder() throws Exception {
        OrderJudge slow = new OrderJudge();
        CountDownLatch mayPass = new CountDownLatch(1);
        Outbox outbox = open(alone().subscribe("fast", TYPE, judge.listener((event, attempt) -> {}))
                .subscribe("slow", TYPE, slow.listener((event, attempt) -> {
                    if (!mayPass.await(size.patience().toMillis(), TimeUnit.MILLISECONDS)) {
                        throw new IllegalStateException("never let through");
                    }
                })));
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            written.add(write(outbox, "k"));
        }

        Waiting.until(
                size.patience(),
                () -> "delivered: " + judge.deliveredOf("k"),
                () -> judge.deliveredOf("k").equals(written));
        assertThat(slow.delivered()).isZero();
        mayPass.countDown();

        Waiting.until(
                size.patience(),
                () -> "delivered: " + slow.deliveredOf("k"),
                () -> slow.deliveredOf("k").equals(written));
    }

    @Test
    void exceptedTypesAndSubscriptionsAndDelayedEventsKeepNoOrder() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {}));
        registry.register("Free", judge.listener((event, attempt) -> {}));
        Outbox outbox = open(alone().ordering(Ordering.byKey().except("Free").exceptSubscriptions("loose"))
                .subscribe("loose", "Shared", judge.listener((event, attempt) -> {}))
                .subscribe("strict", "Shared", judge.listener((event, attempt) -> {}))
                .startManually());

        engine.inTransaction(() -> {
            outbox.writer()
                    .write(EventEnvelope.builder("Free")
                            .aggregateId("k")
                            .payloadJson("{}")
                            .build());
            outbox.writer()
                    .write(event().aggregateId("k")
                            .availableAt(engine.now().plusSeconds(3600))
                            .build());
        });

        assertThat(backend.keyHeads("", 10)).isEmpty();
        engine.inTransaction(() -> outbox.writer()
                .write(EventEnvelope.builder("Shared")
                        .aggregateId("k")
                        .payloadJson("{}")
                        .build()));
        assertThat(backend.keyHeads("", 10))
                .extracting(KeyHead::key)
                .anyMatch(key -> key.endsWith("#strict"))
                .noneMatch(key -> key.endsWith("#loose"));
    }

    @Test
    void writersOfAKeyThatLockItAreInTheOrderOfTheirCommits() throws Exception {
        Outbox.SingleNodeBuilder builder =
                alone().ordering(Ordering.byKey().lockingWrites()).startManually();
        if (!backend.supports(Capability.LOCK_KEYS)) {
            assertThatThrownBy(builder::build).hasMessageContaining("lockingWrites()");
            return;
        }
        if (!backend.requiresActiveTransaction()) {
            return; // what is written alone has no commit of its own
        }
        registry.register(TYPE, judge.listener((event, attempt) -> {}));
        Outbox outbox = open(builder);
        List<String> committed = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch isWritten = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        Callable<Void> first = () -> {
            engine.inTransaction(() -> {
                String id = write(outbox.writer(), "k");
                isWritten.countDown();
                awaitLatch(mayCommit);
                committed.add(id);
            });
            return null;
        };
        Callable<Void> second = () -> {
            awaitLatch(isWritten);
            engine.inTransaction(() -> committed.add(write(outbox.writer(), "k")));
            return null;
        };
        Callable<Void> ofAnotherKey = () -> {
            awaitLatch(isWritten);
            engine.inTransaction(() -> write(outbox.writer(), "other"));
            Waiting.pause(SETTLE_TIME);
            mayCommit.countDown();
            return null;
        };

        Parallel.run(List.of(first, second, ofAnotherKey));

        outbox.deliverDue();
        assertThat(judge.deliveredOf("k")).hasSize(2).isEqualTo(committed);
    }

    private static String write(OutboxWriter writer, String key) {
        return writer.write(
                EventEnvelope.builder(TYPE).aggregateId(key).payloadJson("{}").build());
    }

    private void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(size.patience().toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theKeysOfADeadNodeAreTakenOverInOrder() throws Exception {
        if (multiNodeIsRefused()) {
            return;
        }
        registry.register(TYPE, judge.listener((event, attempt) -> {}));
        Outbox writer = open(oneOfSeveral("writer", SHORT_LEASE).startManually());
        for (int i = 0; i < 10; i++) {
            write(writer, "k");
        }
        List<String> keys = backend.keyHeads("", 10).stream().map(KeyHead::key).toList();
        assertThat(backend.claimKeyed(new KeyedRequest(
                                new Lease("dead", SHORT_LEASE),
                                Instant.now().plusSeconds(60),
                                Instant.EPOCH,
                                io.outbox.spi.ClaimRequest.LostClaims.NONE,
                                io.outbox.spi.EventTypes.ALL,
                                keys,
                                new KeyedRequest.Limit(4, Long.MAX_VALUE)))
                        .events())
                .hasSize(4);

        open(oneOfSeveral("alive", SHORT_LEASE));

        awaitAll();
        judge.assertOrder();
    }

    /** Who commits looks at the key, and who has brought it forward looks again; sweeps are for what goes wrong. */
    @Test
    void nothingWaitsForASweep() throws Exception {
        registry.register(TYPE, judge.listener(this::failSometimes));
        List<Outbox> nodes = multiNodeIsRefused()
                ? List.of(open(alone().intervalMs(SELDOM_MS)))
                : List.of(
                        open(oneOfSeveral("node-1", LEASE).intervalMs(SELDOM_MS)),
                        open(oneOfSeveral("node-2", LEASE).intervalMs(SELDOM_MS)));

        writeLoad(nodes, 2);

        awaitAll();
        judge.assertOrder();
    }

    @Test
    void whatIsDueCanBeDeliveredByHandInOrder() throws Exception {
        registry.register(TYPE, judge.listener((event, attempt) -> {}));
        Outbox outbox = open(alone().startManually());
        for (int i = 0; i < 200; i++) {
            write(outbox, "k" + i % 7);
        }

        assertThat(outbox.deliverDue()).isEqualTo(200);

        judge.assertOrder();
        judge.assertNothingRepeated();
    }

    @Test
    void whatFailsAndIsDueSoonIsLeftToTheNextDeliveryByHand() throws Exception {
        registry.register(TYPE, event -> DispatchResult.retryAfter(Duration.ofMillis(1)));
        Outbox outbox = open(alone().startManually());
        write(outbox, "k");
        write(outbox, "other");

        assertThat(outbox.deliverDue()).isEqualTo(2);
    }

    @Test
    void whatAListenerWritesIsLeftToALaterDeliveryByHand() throws Exception {
        Outbox[] outbox = new Outbox[1];
        registry.register(TYPE, event -> {
            Waiting.pause(Duration.ofMillis(2)); // or it may be due at the same instant
            write(outbox[0], "k");
            return DispatchResult.done();
        });
        outbox[0] = open(alone().startManually());
        write(outbox[0], "k");

        assertThat(outbox[0].deliverDue()).isEqualTo(1);
    }

    // Parts of the tests

    private void failSometimes(EventEnvelope event, int attempt) {
        if (attempt <= Deliveries.failuresOf(event.eventId()) && event.eventId().hashCode() % 5 == 0) {
            throw new IllegalStateException("attempt " + attempt + " fails on purpose");
        }
    }

    private List<Outbox> openNodes() {
        return openNodes(builder -> builder);
    }

    private List<Outbox> openNodes(java.util.function.UnaryOperator<Outbox.MultiNodeBuilder> settings) {
        if (multiNodeIsRefused()) {
            return List.of(open(alone()), open(alone().startManually()));
        }
        List<Outbox> nodes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            nodes.add(open(settings.apply(oneOfSeveral("node-" + i, LEASE))));
        }
        return nodes;
    }

    private void writeLoad(List<Outbox> outboxes, int keys) throws Exception {
        List<Callable<Void>> writers = new ArrayList<>();
        for (int w = 0; w < size.writers(); w++) {
            Random random = new Random(w);
            writers.add(() -> {
                for (int i = 0; i < size.transactionsPerWriter(); i++) {
                    write(outboxes.get(random.nextInt(outboxes.size())), "k" + random.nextInt(keys));
                }
                return null;
            });
        }
        Parallel.run(writers);
    }

    private String write(Outbox outbox, String key) {
        return write(outbox, key, "{}");
    }

    private String write(Outbox outbox, String key, String payload) {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .aggregateId(key)
                .payloadJson(payload)
                .build();
        Supplier<String> write = () -> outbox.writer().write(event);
        if (key == null) {
            engine.inTransaction(write::get);
        } else {
            judge.write(key, () -> engine.inTransaction(write::get), event.eventId());
        }
        return event.eventId();
    }

    private void awaitAll() {
        Waiting.until(
                size.patience(),
                () -> judge.delivered() + " of " + judge.written() + " events delivered; heads: "
                        + backend.keyHeads("", 20),
                () -> judge.delivered() >= judge.written());
        Waiting.until(
                size.patience(),
                () -> "unfinished: " + backend.keyHeads("", 20),
                () -> backend.keyHeads("", 20).isEmpty());
    }

    private boolean isParked(String eventId) {
        return !stored(eventId).availableAt().isBefore(KeyHead.PARKED_UNTIL);
    }
}
