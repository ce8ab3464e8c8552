package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.StoreBackend;
import io.outbox.support.CountedConnections;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** What builders refuse, and in which words. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxBuildersTest {

    private static final Duration NEGATIVE = Duration.ofMillis(-1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final CountedConnections connections = new CountedConnections();
    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final ListenerRegistry registry = new DefaultListenerRegistry();
    private final EventPurger purger = (conn, before, limit) -> 0;

    private static List<Supplier<Outbox.AbstractBuilder<?>>> outboxBuilders() {
        return List.of(Outbox::singleNode, Outbox::multiNode, Outbox::ordered, Outbox::writerOnly);
    }

    private <B extends Outbox.AbstractBuilder<B>> B complete(B builder) {
        return builder.connectionProvider(connections)
                .txContext(transaction)
                .outboxStore(store)
                .listenerRegistry(registry)
                .intervalMs(3_600_000);
    }

    private OutboxBackend backend() {
        return StoreBackend.of(connections, transaction, store, purger);
    }

    private static DynamicTest refusesNull(String name, ThrowingCallable call) {
        return dynamicTest(
                name + " null",
                () -> assertThatNullPointerException().isThrownBy(call).withMessageContaining(name));
    }

    private static DynamicTest refuses(String name, Object value, ThrowingCallable call) {
        return dynamicTest(
                name + " " + value,
                () -> assertThatIllegalArgumentException()
                        .isThrownBy(call)
                        .withMessageContaining(name)
                        .withMessageContaining(value.toString()));
    }

    @TestFactory
    Stream<DynamicTest> everyOutboxBuilderRefusesBadInput() {
        return outboxBuilders().stream()
                .flatMap(make -> Stream.of(
                        refusesNull("connectionProvider", () -> make.get().connectionProvider(null)),
                        refusesNull("txContext", () -> make.get().txContext(null)),
                        refusesNull("outboxStore", () -> make.get().outboxStore(null)),
                        refusesNull("backend", () -> make.get().backend(null)),
                        refusesNull("decorator", () -> make.get().decorateBackend(null)),
                        refusesNull("decorator", () -> make.get().decorateListeners(null)),
                        refusesNull("decorator", () -> make.get().decorateMetrics(null)),
                        refusesNull("listenerRegistry", () -> make.get().listenerRegistry(null)),
                        refusesNull("metrics", () -> make.get().metrics(null)),
                        refusesNull("interceptor", () -> make.get().interceptor(null)),
                        refusesNull("interceptors", () -> make.get().interceptors(null)),
                        refusesNull(
                                "interceptor", () -> make.get().interceptors(Arrays.asList((EventInterceptor) null))),
                        refusesNull("skipRecent", () -> make.get().skipRecent(null)),
                        refusesNull("purger", () -> make.get().purger(null)),
                        refusesNull("retention", () -> make.get().purgeRetention(null)),
                        refusesNull("clock", () -> make.get().clock(null)),
                        refusesNull("jsonCodec", () -> make.get().jsonCodec(null)),
                        refusesNull("subscription", () -> make.get().subscription(null)),
                        refusesNull("listener", () -> make.get().subscribe("mail", "A", null)),
                        refusesNull("threadFactory", () -> make.get().workerThreads(null)),
                        refuses("intervalMs", 0, () -> make.get().intervalMs(0)),
                        refuses("intervalMs", -5, () -> make.get().intervalMs(-5)),
                        refuses("batchSize", 0, () -> make.get().batchSize(0)),
                        refuses("batchSize", -1, () -> make.get().batchSize(-1)),
                        refuses("skipRecent", NEGATIVE, () -> make.get().skipRecent(NEGATIVE)),
                        refuses("drainTimeoutMs", -1, () -> make.get().drainTimeoutMs(-1)),
                        refuses("retention", NEGATIVE, () -> make.get().purgeRetention(NEGATIVE)),
                        refuses("batchSize", 0, () -> make.get().purgeBatchSize(0)),
                        refuses("intervalSeconds", 0, () -> make.get().purgeIntervalSeconds(0))));
    }

    @TestFactory
    Stream<DynamicTest> buildersWithAWorkerPoolRefuseBadInput() {
        return Stream.of(
                refuses("workerCount", 0, () -> Outbox.singleNode().workerCount(0)),
                refuses("hotQueueCapacity", 0, () -> Outbox.singleNode().hotQueueCapacity(0)),
                refuses("coldQueueCapacity", -1, () -> Outbox.singleNode().coldQueueCapacity(-1)),
                refuses("maxAttempts", 0, () -> Outbox.singleNode().maxAttempts(0)),
                refusesNull("retryPolicy", () -> Outbox.singleNode().retryPolicy(null)),
                refuses("workerCount", -2, () -> Outbox.multiNode().workerCount(-2)),
                refuses("hotQueueCapacity", 0, () -> Outbox.multiNode().hotQueueCapacity(0)),
                refuses("coldQueueCapacity", 0, () -> Outbox.multiNode().coldQueueCapacity(0)),
                refuses("maxAttempts", -1, () -> Outbox.multiNode().maxAttempts(-1)),
                refusesNull("retryPolicy", () -> Outbox.multiNode().retryPolicy(null)),
                refusesNull("lockTimeout", () -> Outbox.multiNode().claimLocking(null)),
                refuses("lockTimeout", Duration.ZERO, () -> Outbox.multiNode().claimLocking(Duration.ZERO)),
                refusesNull("unroutableGrace", () -> Outbox.multiNode().unroutableGrace(null)),
                refuses("unroutableGrace", NEGATIVE, () -> Outbox.multiNode().unroutableGrace(NEGATIVE)),
                refusesNull("ownerId", () -> Outbox.multiNode().claimLocking(null, MINUTE)),
                refuses("ownerId", "'  '", () -> Outbox.multiNode().claimLocking("  ", MINUTE)));
    }

    @TestFactory
    Stream<DynamicTest> theDispatcherBuilderRefusesBadInput() {
        Supplier<OutboxDispatcher.Builder> make = OutboxDispatcher::builder;
        return Stream.of(
                refusesNull("connectionProvider", () -> make.get().connectionProvider(null)),
                refusesNull("outboxStore", () -> make.get().outboxStore(null)),
                refusesNull("backend", () -> make.get().backend(null)),
                refusesNull("listenerRegistry", () -> make.get().listenerRegistry(null)),
                refusesNull("inFlightTracker", () -> make.get().inFlightTracker(null)),
                refusesNull("retryPolicy", () -> make.get().retryPolicy(null)),
                refusesNull("metrics", () -> make.get().metrics(null)),
                refusesNull("interceptor", () -> make.get().interceptor(null)),
                refusesNull("interceptors", () -> make.get().interceptors(null)),
                refusesNull("clock", () -> make.get().clock(null)),
                refusesNull("threadFactory", () -> make.get().threadFactory(null)),
                refusesNull("lease", () -> make.get().lease(null)),
                refuses("maxAttempts", 0, () -> make.get().maxAttempts(0)),
                refuses("workerCount", -3, () -> make.get().workerCount(-3)),
                refuses("hotQueueCapacity", 0, () -> make.get().hotQueueCapacity(0)),
                refuses("coldQueueCapacity", 0, () -> make.get().coldQueueCapacity(0)),
                refuses("drainTimeoutMs", -1, () -> make.get().drainTimeoutMs(-1)),
                refusesNull(
                        "listenerRegistry",
                        () -> make.get()
                                .connectionProvider(connections)
                                .outboxStore(store)
                                .build()),
                refusesNull(
                        "outboxStore",
                        () -> make.get()
                                .connectionProvider(connections)
                                .listenerRegistry(registry)
                                .build()),
                refusesNull(
                        "connectionProvider",
                        () -> make.get()
                                .outboxStore(store)
                                .listenerRegistry(registry)
                                .build()));
    }

    @TestFactory
    Stream<DynamicTest> thePollerBuilderRefusesBadInput() {
        Supplier<OutboxPoller.Builder> make = OutboxPoller::builder;
        OutboxPollerHandler handler = (event, attempts) -> true;
        return Stream.of(
                refusesNull("connectionProvider", () -> make.get().connectionProvider(null)),
                refusesNull("outboxStore", () -> make.get().outboxStore(null)),
                refusesNull("backend", () -> make.get().backend(null)),
                refusesNull("handler", () -> make.get().handler(null)),
                refusesNull("skipRecent", () -> make.get().skipRecent(null)),
                refusesNull("metrics", () -> make.get().metrics(null)),
                refusesNull("clock", () -> make.get().clock(null)),
                refusesNull("lease", () -> make.get().claimLocking((Lease) null)),
                refusesNull("lockTimeout", () -> make.get().claimLocking((Duration) null)),
                refusesNull("ownerId", () -> make.get().claimLocking(null, MINUTE)),
                refuses("skipRecent", NEGATIVE, () -> make.get().skipRecent(NEGATIVE)),
                refuses("batchSize", 0, () -> make.get().batchSize(0)),
                refuses("intervalMs", 0, () -> make.get().intervalMs(0)),
                refuses("lockTimeout", Duration.ZERO, () -> make.get().claimLocking("node", Duration.ZERO)),
                refusesNull(
                        "handler",
                        () -> make.get()
                                .connectionProvider(connections)
                                .outboxStore(store)
                                .build()),
                refusesNull(
                        "outboxStore",
                        () -> make.get()
                                .connectionProvider(connections)
                                .handler(handler)
                                .build()),
                refusesNull(
                        "connectionProvider",
                        () -> make.get().outboxStore(store).handler(handler).build()));
    }

    @TestFactory
    Stream<DynamicTest> thePurgeBuilderRefusesBadInput() {
        Supplier<OutboxPurgeScheduler.Builder> make = OutboxPurgeScheduler::builder;
        return Stream.of(
                refusesNull("connectionProvider", () -> make.get().connectionProvider(null)),
                refusesNull("purger", () -> make.get().purger(null)),
                refusesNull("backend", () -> make.get().backend(null)),
                refusesNull("retention", () -> make.get().retention(null)),
                refusesNull("metrics", () -> make.get().metrics(null)),
                refusesNull("clock", () -> make.get().clock(null)),
                refuses("retention", NEGATIVE, () -> make.get().retention(NEGATIVE)),
                refuses("batchSize", 0, () -> make.get().batchSize(0)),
                refuses("intervalSeconds", 0, () -> make.get().intervalSeconds(0)),
                refusesNull(
                        "purger",
                        () -> make.get().connectionProvider(connections).build()),
                refusesNull(
                        "connectionProvider", () -> make.get().purger(purger).build()));
    }

    @Test
    void theRequiredPartsAreNamedWhenMissing() {
        assertMissing(
                "txContext",
                builder -> builder.connectionProvider(connections)
                        .outboxStore(store)
                        .listenerRegistry(registry));
        assertMissing(
                "outboxStore",
                builder -> builder.connectionProvider(connections)
                        .txContext(transaction)
                        .listenerRegistry(registry));
        assertMissing(
                "connectionProvider",
                builder -> builder.txContext(transaction).outboxStore(store).listenerRegistry(registry));
        assertMissing(
                "listenerRegistry",
                builder -> builder.connectionProvider(connections)
                        .txContext(transaction)
                        .outboxStore(store));
    }

    private void assertMissing(String name, Consumer<Outbox.AbstractBuilder<?>> settings) {
        for (Outbox.AbstractBuilder<?> builder :
                List.of(Outbox.singleNode(), Outbox.multiNode().claimLocking(MINUTE), Outbox.ordered())) {
            settings.accept(builder);
            assertThatNullPointerException().isThrownBy(builder::build).withMessageContaining(name);
        }
    }

    @Test
    void aWriterAloneNeedsOnlyTransactionAndStore() {
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.writerOnly().outboxStore(store).build())
                .withMessageContaining("txContext");
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.writerOnly().txContext(transaction).build())
                .withMessageContaining("outboxStore");
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.writerOnly()
                        .txContext(transaction)
                        .outboxStore(store)
                        .purger(purger)
                        .build())
                .withMessageContaining("connectionProvider");
        try (Outbox outbox =
                Outbox.writerOnly().txContext(transaction).outboxStore(store).build()) {
            assertThat(outbox.writer()).isNotNull();
        }
    }

    @Test
    void severalNodesNeedClaimLocking() {
        assertThatIllegalStateException()
                .isThrownBy(() -> complete(Outbox.multiNode()).build())
                .withMessageContaining("claimLocking");
    }

    @Test
    void severalNodesNeedAStoreThatCanClaim() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> complete(Outbox.multiNode().claimLocking(MINUTE)).build())
                .withMessageContaining("claim");
        assertThatIllegalStateException()
                .isThrownBy(() -> OutboxDispatcher.builder()
                        .connectionProvider(connections)
                        .outboxStore(store)
                        .listenerRegistry(registry)
                        .lease(Lease.of(MINUTE))
                        .build())
                .withMessageContaining("claim");
    }

    @Test
    void aBackendExcludesItsParts() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> complete(Outbox.singleNode()).backend(backend()).build())
                .withMessageContaining("backend");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        Outbox.writerOnly().backend(backend()).purger(purger).build())
                .withMessageContaining("purger");
        try (Outbox outbox = Outbox.singleNode()
                .backend(backend())
                .listenerRegistry(registry)
                .build()) {
            assertThat(outbox.writer()).isNotNull();
        }
    }

    @Test
    void decoratorsOfTheBackendAreAppliedInOrderAndTheLastIsUsed() {
        OutboxBackend given = backend();
        List<Outbox.AbstractBuilder<?>> builders = List.of(
                Outbox.singleNode().backend(given),
                Outbox.multiNode().backend(given).claimLocking(MINUTE),
                Outbox.ordered().backend(given),
                Outbox.writerOnly().backend(given),
                complete(Outbox.writerOnly()));
        for (Outbox.AbstractBuilder<?> builder : builders) {
            ScriptedBackend first = new ScriptedBackend();
            ScriptedBackend last = new ScriptedBackend().withoutTransactions();
            List<OutboxBackend> decorated = new ArrayList<>();
            builder.listenerRegistry(registry)
                    .decorateBackend(inner -> {
                        decorated.add(inner);
                        return first;
                    })
                    .decorateBackend(inner -> {
                        decorated.add(inner);
                        return last;
                    })
                    .startManually();

            try (Outbox outbox = builder.build()) {
                String eventId = outbox.writer().write("OrderPlaced", "{}");
                assertThat(last.status(eventId)).isEqualTo(EventStatus.NEW);
            }
            assertThat(decorated).hasSize(2).element(1).isSameAs(first);
            assertThat(decorated.get(0)).isInstanceOf(StoreBackend.class);
        }
    }

    @Test
    void aDecoratorNeedsAWholeBackendAndGivesOne() {
        assertThatNullPointerException()
                .isThrownBy(() -> Outbox.writerOnly()
                        .txContext(transaction)
                        .outboxStore(store)
                        .decorateBackend(inner -> inner)
                        .build())
                .withMessageContaining("connectionProvider");
        assertThatNullPointerException()
                .isThrownBy(() -> complete(Outbox.singleNode())
                        .decorateBackend(inner -> null)
                        .build())
                .withMessageContaining("decorator");
    }

    @Test
    void aBuilderBuildsOnce() {
        List<Outbox.AbstractBuilder<?>> builders =
                List.of(complete(Outbox.singleNode()), complete(Outbox.ordered()), complete(Outbox.writerOnly()));
        for (Outbox.AbstractBuilder<?> builder : builders) {
            builder.build().close();
            assertThatIllegalStateException().isThrownBy(builder::build).withMessageContaining("build()");
        }

        OutboxDispatcher.Builder dispatcher = OutboxDispatcher.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .inFlightTracker(new DefaultInFlightTracker())
                .listenerRegistry(registry);
        dispatcher.build().close();
        assertThatIllegalStateException().isThrownBy(dispatcher::build);

        OutboxPoller.Builder poller = OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler((event, attempts) -> true);
        poller.build().close();
        assertThatIllegalStateException().isThrownBy(poller::build);

        OutboxPurgeScheduler.Builder purge =
                OutboxPurgeScheduler.builder().connectionProvider(connections).purger(purger);
        purge.build().close();
        assertThatIllegalStateException().isThrownBy(purge::build);
    }

    @Test
    void aBuilderThatFailedLeavesNothingRunning() {
        Outbox.MultiNodeBuilder builder = complete(Outbox.multiNode());

        assertThatIllegalStateException().isThrownBy(builder::build);
        assertThatIllegalStateException().isThrownBy(builder::build).withMessageContaining("claimLocking");
    }

    @Test
    void everySettingOfEveryScenarioIsAccepted() {
        Outbox.SingleNodeBuilder builder = complete(Outbox.singleNode())
                .workerCount(2)
                .hotQueueCapacity(10)
                .coldQueueCapacity(10)
                .maxAttempts(3)
                .retryPolicy(attempts -> 5)
                .metrics(MetricsExporter.NOOP)
                .interceptor(EventInterceptor.before(event -> {}))
                .interceptors(List.of())
                .batchSize(5)
                .skipRecent(Duration.ZERO)
                .drainTimeoutMs(0)
                .purger(purger)
                .purgeRetention(Duration.ZERO)
                .purgeBatchSize(1)
                .purgeIntervalSeconds(60)
                .clock(Clock.systemUTC())
                .workerThreads(Thread::new)
                .startManually();

        try (Outbox outbox = builder.build()) {
            outbox.start();
        }
    }

    @Test
    void aClosedOutboxCannotBeStarted() {
        Outbox outbox = complete(Outbox.singleNode()).startManually().build();
        outbox.close();
        outbox.close();

        assertThatIllegalStateException().isThrownBy(outbox::start).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(outbox::deliverDue).withMessageContaining("closed");
    }

    @Test
    void theDefaultsAreThoseDocumented() {
        assertThat(OutboxDispatcher.DEFAULT_WORKER_COUNT).isEqualTo(4);
        assertThat(OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY).isEqualTo(1000);
        assertThat(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY).isEqualTo(1000);
        assertThat(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS).isEqualTo(10);
        assertThat(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS).isEqualTo(5000);
        assertThat(OutboxDispatcher.DEFAULT_UNROUTABLE_GRACE).isEqualTo(Duration.ofMinutes(10));
        assertThat(OutboxPoller.DEFAULT_BATCH_SIZE).isEqualTo(50);
        assertThat(OutboxPoller.DEFAULT_INTERVAL_MS).isEqualTo(5000);
        assertThat(OutboxPoller.DEFAULT_SKIP_RECENT).isEqualTo(Duration.ZERO);
        assertThat(OutboxPurgeScheduler.DEFAULT_RETENTION).isEqualTo(Duration.ofDays(7));
        assertThat(OutboxPurgeScheduler.DEFAULT_BATCH_SIZE).isEqualTo(500);
        assertThat(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS).isEqualTo(3600);
    }
}
