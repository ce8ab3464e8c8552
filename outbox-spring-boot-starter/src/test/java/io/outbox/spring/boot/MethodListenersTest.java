package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxBackend;
import io.outbox.testservers.support.LogLines;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class MethodListenersTest {

    record OrderPlaced(String id, int items) {}

    /** What the listeners of a test have seen. */
    @Component
    static class Seen {
        final List<Object> all = Collections.synchronizedList(new ArrayList<>());

        void await(Object... expected) {
            Awaitility.await().untilAsserted(() -> assertThat(List.copyOf(all)).containsExactlyInAnyOrder(expected));
        }
    }

    private static ApplicationContextRunner runner(Class<?>... beans) {
        return TestApplication.small(beans).withUserConfiguration(Seen.class);
    }

    private static void publish(ApplicationContext context, String eventType, Object... payloads) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish(eventType, List.of(payloads)));
    }

    // Parameters

    static class Payloads {
        @Autowired
        Seen seen;

        @OutboxListener
        void on(OrderPlaced event) {
            seen.all.add(event);
        }

        @OutboxListener(eventType = "Text")
        void text(String payload) {
            seen.all.add(payload);
        }

        @OutboxListener(eventType = "Bytes")
        void bytes(byte[] payload) {
            seen.all.add(payload.length);
        }

        @OutboxListener(eventType = "Generic")
        void generic(Map<String, OrderPlaced> payload) {
            seen.all.add(payload.get("first"));
        }

        @OutboxListener(eventType = "Everything", aggregateType = "Order")
        void everything(DeliveryInfo info, OrderPlaced payload, EventEnvelope event) {
            seen.all.add(info.attempt() + event.aggregateId() + payload.id());
        }

        @OutboxListener(eventType = "Nothing")
        void nothing() {
            seen.all.add("nothing");
        }
    }

    @Test
    void passesWhatTheParametersAskFor() {
        runner(Payloads.class).run(context -> {
            OrderPlaced order = new OrderPlaced("7", 2);
            publish(context, "OrderPlaced", order);
            publish(context, "Text", "{\"a\":1}");
            publish(context, "Bytes", new byte[] {1, 2, 3});
            publish(context, "Generic", Map.of("first", order));
            publish(context, "Nothing", "{}");
            Deliveries.inTransaction(
                    context,
                    () -> context.getBean(OutboxPublisher.class)
                            .event("Everything")
                            .aggregate("Order", "42")
                            .publish(order));
            context.getBean(Seen.class).await(order, "{\"a\":1}", 3, order, "nothing", "1427");
        });
    }

    static class Batches {
        @Autowired
        Seen seen;

        final AtomicInteger calls = new AtomicInteger();

        @OutboxListener(batchSize = "50")
        void on(List<OrderPlaced> orders, List<EventEnvelope> events, List<DeliveryInfo> infos) {
            calls.incrementAndGet();
            assertThat(events).hasSameSizeAs(orders);
            assertThat(infos).hasSameSizeAs(orders).allMatch(info -> info.attempt() == 1);
            seen.all.addAll(orders);
        }

        @OutboxListener(eventType = "Judged", maxAttempts = "1")
        List<DispatchResult> judge(List<OrderPlaced> orders) {
            seen.all.addAll(orders);
            return orders.stream()
                    .map(order -> order.items() > 1
                            ? (DispatchResult) DispatchResult.dead("too many")
                            : DispatchResult.done())
                    .toList();
        }
    }

    @Test
    void takesListsAsBatches() {
        runner(Batches.class).run(context -> {
            Object[] orders = IntStream.range(0, 200)
                    .mapToObj(i -> new OrderPlaced("o" + i, 1))
                    .toArray();
            publish(context, "OrderPlaced", orders);
            context.getBean(Seen.class).await(orders);
            assertThat(context.getBean(Batches.class).calls).hasValueLessThan(200);
        });
    }

    @Test
    void hasAnOutcomeForEachEventOfABatchAndLetsUnreadableOnesFailAlone() {
        runner(Batches.class).run(context -> {
            publish(context, "Judged", new OrderPlaced("good", 1), "{no json", new OrderPlaced("bad", 2));
            context.getBean(Seen.class).await(new OrderPlaced("good", 1), new OrderPlaced("bad", 2));
            await().untilAsserted(() -> assertThat(
                            context.getBean(Outbox.class).deadEvents().count("Judged"))
                    .isEqualTo(2));
        });
    }

    // Results

    static class Results {
        @Autowired
        Seen seen;

        @OutboxListener(eventType = "Checked")
        void failing(EventEnvelope event, DeliveryInfo info) throws IOException {
            seen.all.add(info.attempt());
            if (info.attempt() < 3) {
                throw new IOException("not yet");
            }
        }

        @OutboxListener(eventType = "Result")
        DispatchResult result(EventEnvelope event) {
            return DispatchResult.dead("no use");
        }
    }

    @Test
    void countsCheckedExceptionsAndTakesResults() {
        runner(Results.class).run(context -> {
            publish(context, "Checked", "{}");
            publish(context, "Result", "{}");
            context.getBean(Seen.class).await(1, 2, 3);
            await().untilAsserted(() -> assertThat(
                            context.getBean(Outbox.class).deadEvents().count("Result"))
                    .isEqualTo(1));
        });
    }

    // Kinds of beans

    interface Handler {
        @OutboxListener
        void on(OrderPlaced event);
    }

    static class Proxied implements Handler {
        @Autowired
        Seen seen;

        @Override
        @Transactional
        public void on(OrderPlaced event) {
            seen.all.add(TransactionSynchronizationManager.isActualTransactionActive());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callsProxies(boolean ofTheClass) {
        runner(Proxied.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + ofTheClass)
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    context.getBean(Seen.class).await(true);
                    assertThat(AopUtils.isCglibProxy(context.getBean(Handler.class)))
                            .isEqualTo(ofTheClass);
                });
    }

    @Lazy
    static class LazyAndProxied extends Proxied {}

    @Test
    void callsProxiesThatAreMadeWithTheFirstEvent() {
        runner(LazyAndProxied.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    context.getBean(Seen.class).await(true);
                });
    }

    abstract static class Generic<T> {
        @Autowired
        Seen seen;

        @OutboxListener
        void on(T event) {
            seen.all.add(event);
        }

        @OutboxListener(eventType = "Nested")
        void nested(List<Map<String, T>> events) {
            events.forEach(event -> seen.all.add(event.get("first")));
        }
    }

    static class OfOrders extends Generic<OrderPlaced> {}

    @Test
    void knowsTheTypesOfGenericSuperclasses() {
        runner(OfOrders.class).run(context -> {
            OrderPlaced order = new OrderPlaced("1", 1);
            publish(context, "OrderPlaced", order);
            publish(context, "Nested", Map.of("first", order));
            context.getBean(Seen.class).await(order, order);
        });
    }

    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        @Autowired
        Seen seen;

        @OutboxListener
        void on(OrderPlaced event) {
            seen.all.add(System.identityHashCode(this));
        }
    }

    @Test
    void callsScopedBeansThroughTheirProxies() {
        runner(Scoped.class).run(context -> {
            publish(context, "OrderPlaced", new OrderPlaced("1", 1), new OrderPlaced("2", 1));
            Seen seen = context.getBean(Seen.class);
            await().untilAsserted(() -> assertThat(seen.all).hasSize(2).doesNotHaveDuplicates());
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ByInterface {
        @Bean
        Object handler(Seen seen) {
            return new Object() {
                @OutboxListener(eventType = "Hidden")
                void on(String payload) {
                    seen.all.add(payload);
                }
            };
        }
    }

    @Test
    void findsMethodsOfBeansWhoseClassIsNotDeclared() {
        runner(ByInterface.class).run(context -> {
            publish(context, "Hidden", "1");
            context.getBean(Seen.class).await("1");
        });
    }

    record OrderPaid(String id) {}

    static class Placed {
        @OutboxListener
        void on(OrderPlaced event) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class DeclaredBySuperclass {
        @Bean
        Placed handler(Seen seen, Outbox comesFirst) {
            return new Placed() {
                @OutboxListener
                void on(OrderPaid event) {
                    seen.all.add(event);
                }
            };
        }
    }

    @Test
    void tellsMethodsOfOneNameApart() {
        runner(DeclaredBySuperclass.class).run(context -> {
            publish(context, "OrderPaid", new OrderPaid("1"));
            context.getBean(Seen.class).await(new OrderPaid("1"));
        });
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @OutboxListener
    @interface OrderListener {
        @AliasFor(annotation = OutboxListener.class, attribute = "eventType")
        String value();
    }

    static final String PAID = "OrderPaid";

    static class Named {
        @Autowired
        Seen seen;

        @OrderListener("${shop.placed-type}")
        void placed(String payload) {
            seen.all.add("placed");
        }

        @OutboxListener(eventType = PAID)
        void paid(String payload) {
            seen.all.add("paid");
        }
    }

    @Test
    void knowsPlaceholdersConstantsAndMetaAnnotations() {
        runner(Named.class).withPropertyValues("shop.placed-type=OrderPlacedV2").run(context -> {
            publish(context, "OrderPlacedV2", "{}");
            publish(context, PAID, "{}");
            context.getBean(Seen.class).await("placed", "paid");
        });
    }

    static class Writing {
        @Autowired
        Seen seen;

        @Autowired
        OutboxPublisher publisher;

        @OutboxListener(concurrency = "2")
        @Transactional
        void on(OrderPlaced event) {
            publisher.publish("Next", "{}");
        }

        @OutboxListener(eventType = "Next")
        void next(String payload) {
            seen.all.add("next");
        }
    }

    @Test
    void mayBePartOfABeanThatWritesEventsItself() {
        runner(Writing.class).run(context -> {
            publish(context, "OrderPlaced", new OrderPlaced("1", 1));
            context.getBean(Seen.class).await("next");
        });
    }

    // Settings of one listener

    static class Limited {
        final CountDownLatch blocked = new CountDownLatch(1);
        final AtomicInteger active = new AtomicInteger();

        @Autowired
        Seen seen;

        @OutboxListener(
                name = "slow",
                eventType = "Slow",
                concurrency = "${shop.slow:2}",
                maxAttempts = "2",
                backoffDelay = "5ms")
        void slow(EventEnvelope event, DeliveryInfo info) throws Exception {
            active.incrementAndGet();
            blocked.await(20, TimeUnit.SECONDS);
            throw new IOException("attempt " + info.attempt());
        }

        @OutboxListener(eventType = "Quick")
        void quick(String payload) {
            seen.all.add("quick");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "shop.slow=3", "outbox.listeners.slow.concurrency=3"})
    void hasALaneWithItsOwnSettings(String property) {
        int workers = property.isEmpty() ? 2 : 3;
        runner(Limited.class)
                .withPropertyValues("outbox.dispatcher.worker-count=1", property.isEmpty() ? "a=b" : property)
                .run(context -> {
                    Limited limited = context.getBean(Limited.class);
                    publish(context, "Slow", "{}", "{}", "{}", "{}", "{}");
                    await().untilAsserted(() -> assertThat(limited.active).hasValue(workers));
                    publish(context, "Quick", "{}");
                    context.getBean(Seen.class).await("quick");
                    assertThat(limited.active).hasValue(workers);
                    limited.blocked.countDown();
                    await().untilAsserted(() -> assertThat(
                                    context.getBean(Outbox.class).deadEvents().count("Slow"))
                            .isEqualTo(5));
                    assertThat(limited.active).hasValue(10);
                });
    }

    // Several listeners for one event

    static class Shop {
        @Autowired
        Seen seen;

        @OutboxListener
        void plain(OrderPlaced event) {
            seen.all.add("plain " + event.id());
        }

        @OutboxListener(subscription = "mail")
        void mail(OrderPlaced event, EventEnvelope envelope) {
            assertThat(envelope.eventType()).isEqualTo("OrderPlaced");
            seen.all.add("mail " + event.id());
        }

        @OutboxListener(subscription = "search", maxAttempts = "1")
        void search(OrderPlaced event) {
            throw new IllegalStateException("no index");
        }
    }

    @Test
    void letsEachOfSeveralListenersHaveItsOwnFate() {
        runner(Shop.class).run(context -> {
            publish(context, "OrderPlaced", new OrderPlaced("1", 1));
            context.getBean(Seen.class).await("plain 1", "mail 1");
            await().untilAsserted(() -> assertThat(
                            context.getBean(Outbox.class).deadEvents().count("OrderPlaced#search"))
                    .isEqualTo(1));
            assertThat(context.getBean(Outbox.class).deadEvents().count(null)).isEqualTo(1);
        });
    }

    static class EarlyWriter {
        EarlyWriter(OutboxPublisher publisher, PlatformTransactionManager transactions) {
            new TransactionTemplate(transactions)
                    .executeWithoutResult(status -> publisher.publish("OrderPlaced", new OrderPlaced("early", 1)));
        }
    }

    @Test
    void deliversWhatABeanWritesBeforeListenersAreRegistered() {
        runner(EarlyWriter.class, Shop.class)
                .run(context -> context.getBean(Seen.class).await("plain early", "mail early"));
    }

    @Test
    void leavesNothingDeadOfWhatABeanWritesForSubscriptionsAlone() {
        runner(EarlyWriter.class, MailOnly.class).run(context -> {
            context.getBean(Seen.class).await("mail early");
            Outbox outbox = context.getBean(Outbox.class);
            await().untilAsserted(() -> assertThat(outbox.counts()).isEmpty());
            assertThat(outbox.deadEvents().count(null)).isZero();
        });
    }

    static class MailOnly {
        @Autowired
        Seen seen;

        @OutboxListener(subscription = "mail")
        void mail(OrderPlaced event) {
            seen.all.add("mail " + event.id());
        }
    }

    @Test
    void writesForSubscriptionsThatListenElsewhere() {
        runner().withPropertyValues("outbox.mode=writer-only", "outbox.subscriptions.OrderPlaced=mail,search")
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForList("SELECT event_type FROM outbox_event", String.class))
                            .containsExactlyInAnyOrder("OrderPlaced#mail", "OrderPlaced#search");
                });
    }

    @Test
    void writesForListenersWithoutANameAndOfAggregatesElsewhere() {
        runner().withPropertyValues(
                        "outbox.mode=writer-only",
                        "outbox.subscriptions.OrderPlaced=unnamed,mail",
                        "outbox.subscriptions[Order/OrderPlaced]=search")
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    Deliveries.inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class)
                                    .event("OrderPlaced")
                                    .aggregate("Order", "2")
                                    .publish(new OrderPlaced("2", 1)));
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForList("SELECT event_type FROM outbox_event", String.class))
                            .containsExactlyInAnyOrder("OrderPlaced", "OrderPlaced#mail", "OrderPlaced#search");
                });
    }

    @Test
    void aNodeThatDeliversWritesForAListenerWithoutANameElsewhere() {
        runner().withPropertyValues("outbox.mode=multi-node", "outbox.subscriptions.OrderPlaced=unnamed")
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForList("SELECT event_type FROM outbox_event", String.class))
                            .containsExactly("OrderPlaced");
                });
    }

    @Test
    void refusesANameThatIsNone() {
        runner().withPropertyValues("outbox.subscriptions.OrderPlaced=no name")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.subscriptions[OrderPlaced]"));
    }

    @Test
    void tellsOfListenersThatAreNeverCalled() {
        try (LogLines log = new LogLines()) {
            runner(Shop.class)
                    .withPropertyValues("outbox.mode=writer-only")
                    .run(context -> assertThat(log.at(Level.WARNING))
                            .anySatisfy(line -> assertThat(line).contains("never called", "Shop.mail")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOutbox {
        @Bean
        Outbox own(OutboxBackend backend, DefaultListenerRegistry registry) {
            return Outbox.singleNode()
                    .backend(backend)
                    .listenerRegistry(registry)
                    .startManually()
                    .build();
        }
    }

    @Test
    void tellsOfSubscriptionsThatAnOutboxOfTheApplicationsOwnMayNotHave() {
        try (LogLines log = new LogLines()) {
            runner(Shop.class, OwnOutbox.class)
                    .run(context -> assertThat(log.at(Level.WARNING))
                            .anySatisfy(line -> assertThat(line).contains("only if the code that built it", "search")));
        }
    }

    @Test
    void registersTheListenersOfNestedContexts() {
        runner().run(parent -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(parent);
                child.register(TestApplication.class, Payloads.class);
                child.refresh();
                publish(parent, "Text", "{}");
                parent.getBean(Seen.class).await("{}");
            }
        });
    }

    static class MailOfAggregate {
        @OutboxListener(subscription = "mail", aggregateType = "Order")
        void on(OrderPlaced event) {}
    }

    @Test
    void tellsSubscriptionsApartByTheirAggregateType() {
        runner(MailOfAggregate.class)
                .withPropertyValues("outbox.auto-startup=false", "outbox.subscriptions.OrderPlaced=mail")
                .run(context -> {
                    publish(context, "OrderPlaced", new OrderPlaced("1", 1));
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForList("SELECT event_type FROM outbox_event", String.class))
                            .containsExactly("OrderPlaced#mail");
                });
    }

    // Mistakes

    static class TwoPayloads {
        @OutboxListener(eventType = "X")
        void on(OrderPlaced one, String two) {}
    }

    static class MixedBatch {
        @OutboxListener
        void on(List<OrderPlaced> events, DeliveryInfo info) {}
    }

    static class RawBatch {
        @OutboxListener(eventType = "X")
        @SuppressWarnings("rawtypes")
        void on(List events) {}
    }

    static class WrongResult {
        @OutboxListener
        String on(OrderPlaced event) {
            return "";
        }
    }

    static class WrongResults {
        @OutboxListener
        List<String> on(List<OrderPlaced> event) {
            return List.of();
        }
    }

    static class Private {
        @OutboxListener
        private void on(OrderPlaced event) {}
    }

    static class Static {
        @OutboxListener
        static void on(OrderPlaced event) {}
    }

    static class FinalBehindProxy {
        @OutboxListener
        @Transactional
        public final void on(OrderPlaced event) {}

        @Transactional
        public void other() {}
    }

    static class NoType {
        @OutboxListener
        void on(EventEnvelope event) {}
    }

    static class NoTypeOfText {
        @OutboxListener
        void on(String payload) {}
    }

    static class NoTypeOfArray {
        @OutboxListener
        void on(OrderPlaced[] payload) {}
    }

    static class BadNumber {
        @OutboxListener(concurrency = "many")
        void on(OrderPlaced event) {}
    }

    static class Zero {
        @OutboxListener(maxAttempts = "0")
        void on(OrderPlaced event) {}
    }

    static class BackoffWithoutDelay {
        @OutboxListener(backoffMultiplier = "2")
        void on(OrderPlaced event) {}
    }

    static class SharedLane {
        @OutboxListener(aggregateType = "Order", eventType = "Changed", maxAttempts = "1")
        void order(String payload) {}

        @OutboxListener(aggregateType = "Customer", eventType = "Changed")
        void customer(String payload) {}
    }

    static class SharedLaneOfSubscriptions {
        @OutboxListener(subscription = "mail", aggregateType = "Order", eventType = "Changed", maxAttempts = "1")
        void order(String payload) {}

        @OutboxListener(subscription = "mail", aggregateType = "Customer", eventType = "Changed", maxAttempts = "2")
        void customer(String payload) {}
    }

    static class Twice {
        @OutboxListener
        void on(OrderPlaced event) {}

        @OutboxListener
        void again(OrderPlaced event) {}
    }

    static class SameSubscription {
        @OutboxListener(subscription = "a")
        void on(OrderPlaced event) {}

        @OutboxListener(subscription = "a")
        void again(OrderPlaced event) {}
    }

    static class Unannotated implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            return DispatchResult.done();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TwoPayloads.class,
                MixedBatch.class,
                RawBatch.class,
                WrongResult.class,
                WrongResults.class,
                Private.class,
                Static.class,
                FinalBehindProxy.class,
                NoType.class,
                NoTypeOfText.class,
                NoTypeOfArray.class,
                BadNumber.class,
                Zero.class,
                BackoffWithoutDelay.class,
                SharedLane.class,
                SharedLaneOfSubscriptions.class,
                Twice.class,
                Unannotated.class
            })
    void refusesToStartWithAMistakeAndNamesTheListener(Class<?> mistake) {
        runner(mistake).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("Outbox listener '")
                    .hasStackTraceContaining("cannot be registered");
        });
    }

    @Test
    void refusesTwoSubscriptionsOfOneName() {
        runner(SameSubscription.class)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("subscription"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.listeners.slow.concurrency=0",
                "outbox.listeners.slow.max-attempts=0",
                "outbox.listeners.slow.rate-limit=-1",
                "outbox.listeners.slow.backoff.delay=0s"
            })
    void namesTheKeyOfAListenersSettingThatCannotWork(String setting) {
        runner(Limited.class)
                .withPropertyValues(setting)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(setting.substring(0, setting.indexOf('=')))
                        .hasStackTraceContaining("must be at least"));
    }

    @Test
    void refusesALaneInOrderedMode() {
        runner(Limited.class)
                .withPropertyValues("outbox.mode=ordered")
                .run(context ->
                        assertThat(context.getStartupFailure()).hasStackTraceContaining("outbox.mode is ordered"));
    }

    @Configuration(proxyBeanMethods = false)
    static class RegisteredByHand {
        @Bean
        EventListener byHand(DefaultListenerRegistry registry) {
            EventListener listener = event -> DispatchResult.done();
            registry.register("ByHand", listener);
            return listener;
        }

        @Bean(autowireCandidate = false)
        EventListener calledByOthers() {
            return event -> DispatchResult.done();
        }
    }

    @Test
    void leavesListenersAloneThatTheApplicationTakesCareOf() {
        runner(RegisteredByHand.class).run(context -> assertThat(context).hasNotFailed());
    }
}
