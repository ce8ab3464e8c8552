package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxPublisher;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

/** OutboxPublisher and @OutboxPublish, with listeners in the place of a broker. */
class OutboxPublishTest {

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true, order = Ordered.HIGHEST_PRECEDENCE)
    static class OuterTransactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true, order = Ordered.LOWEST_PRECEDENCE)
    static class InnerTransactions {}

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class ProxiesOfInterfaces {}

    private final ApplicationContextRunner runner =
            PlainApplication.runner(Deliveries.class, Shop.class, InnerTransactions.class);

    record Order(int id) {}

    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        public int calls() {
            return calls.get();
        }

        public int discount() {
            return -1;
        }

        @Transactional
        @OutboxPublish(eventType = "Placed")
        public Order place(int id) {
            calls.incrementAndGet();
            return id == 0 ? null : new Order(id);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed", payload = "")
        public Order placeByDefault(int id) {
            return new Order(id);
        }

        @Transactional
        @OutboxPublish(
                eventType = "Placed",
                condition = "#payload != null and #payload.id > 1",
                aggregateType = "Order",
                aggregateId = "order-#{#payload.id}",
                key = "#{#customer}",
                tenant = "${shop.tenant:acme}",
                headers = {"channel: #{#channel}", "none: #{null}"},
                delay = "#{T(java.time.Duration).ofMillis(1)}")
        public List<Order> placeFor(String customer, String channel, Order... orders) {
            return Arrays.asList(orders);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed", condition = "#result != null")
        public Order placePerhaps(int id) {
            return id == 0 ? null : new Order(id);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed", key = "#{#payload.id}", payload = "#payload")
        public void placeGiven(Order payload) {}

        @Transactional
        @OutboxPublish(eventType = "Placed")
        public Order placeAndFail(int id) {
            throw new IllegalArgumentException("out of stock: " + id);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed", payload = "#orders")
        public void placeAll(List<Order> orders) {}

        @Transactional
        @OutboxPublish(eventType = "Placed")
        public Set<Order> placeSet(int id) {
            return Set.of(new Order(id));
        }

        @Transactional
        @OutboxPublish(eventType = "Placed")
        public Order[] placeArray(int... ids) {
            return Arrays.stream(ids).mapToObj(Order::new).toArray(Order[]::new);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed", payload = "@prices.of(#id) + discount() + #result.id()")
        public Order placeWithPrice(int id) {
            return new Order(id);
        }

        @Transactional
        @OutboxPublish(eventType = "Placed")
        public CompletableFuture<Order> placeLater(int id) {
            return CompletableFuture.completedFuture(new Order(id));
        }

        @OutboxPublish(eventType = "Placed")
        public Order placeOutsideOfATransaction(int id) {
            calls.incrementAndGet();
            return new Order(id);
        }

        @Transactional
        @OutboxPublish(eventType = "Cancelled")
        public Order cancel(int id) {
            return new Order(id);
        }
    }

    static class Prices {
        public int of(int id) {
            return 100 * id;
        }
    }

    private static Shop shop(BeanFactory context) {
        return context.getBean(Shop.class);
    }

    @Test
    void publishesTheResultWhenTheTransactionCommits() {
        runner.run(context -> {
            shop(context).place(1);
            awaitPayloads(context, "{\"id\":1}");
        });
    }

    @Test
    void anEmptyPayloadIsTheResult() {
        runner.run(context -> {
            shop(context).placeByDefault(1);
            awaitPayloads(context, "{\"id\":1}");
        });
    }

    static class OrderDeliveries {
        @Bean
        @OutboxListener(eventType = "Placed", aggregateType = "Order")
        EventListener placedOrders(Deliveries deliveries) {
            return deliveries.placed();
        }
    }

    @Test
    void givesEachEventWhatTheAnnotationSaysAboutIt() {
        runner.withUserConfiguration(OrderDeliveries.class).run(context -> {
            shop(context).placeFor("c-1", "web", new Order(1), new Order(2), null, new Order(3));

            awaitPayloads(context, "{\"id\":2}", "{\"id\":3}");
            assertThat(context.getBean(Deliveries.class).events).allSatisfy(event -> {
                assertThat(event.aggregateType()).isEqualTo("Order");
                assertThat(event.aggregateId())
                        .isEqualTo("order-" + event.payload(Order.class).id());
                assertThat(event.key()).isEqualTo("c-1");
                assertThat(event.tenantId()).isEqualTo("acme");
                assertThat(event.headers()).containsEntry("channel", "web").doesNotContainKey("none");
                assertThat(event.availableAt()).isEqualTo(event.occurredAt().plusMillis(1));
            });
        });
    }

    @Test
    void publishesWhatMeetsTheCondition() {
        runner.run(context -> {
            assertThat(shop(context).placePerhaps(0)).isNull();
            shop(context).placePerhaps(1);
            awaitPayloads(context, "{\"id\":1}");
        });
    }

    @Test
    void aParameterThatIsNamedPayloadIsWhatIsPublished() {
        runner.run(context -> {
            shop(context).placeGiven(new Order(7));
            awaitPayloads(context, "{\"id\":7}");
            assertThat(context.getBean(Deliveries.class).events)
                    .extracting(EventEnvelope::key)
                    .containsExactly("7");
        });
    }

    @Test
    void publishesNothingWhenTheMethodFails() {
        runner.run(context -> {
            assertThatThrownBy(() -> shop(context).placeAndFail(1)).isInstanceOf(IllegalArgumentException.class);
            assertNothingIsStored(context);
        });
    }

    private static void assertNothingIsStored(BeanFactory context) {
        assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                        .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                .isZero();
    }

    @Test
    void publishesEachElementOfABatch() {
        runner.run(context -> {
            shop(context).placeAll(List.of(new Order(1), new Order(2)));
            shop(context).placeSet(3);
            shop(context).placeArray(4, 5);
            shop(context).placeAll(List.of());
            awaitPayloads(context, "{\"id\":1}", "{\"id\":2}", "{\"id\":3}", "{\"id\":4}", "{\"id\":5}");
        });
    }

    @Test
    void evaluatesParametersBeansAndTheResult() {
        runner.withBean("prices", Prices.class).run(context -> {
            shop(context).placeWithPrice(7);
            awaitPayloads(context, "706");
        });
    }

    @Test
    void failsTheTransactionIfThereIsNothingToPublish() {
        runner.run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop(context).place(0))
                    .withMessageContaining("Shop.place")
                    .withMessageContaining("'#result' is or contains null");
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop(context).placeAll(Arrays.asList(new Order(1), null)))
                    .withMessageContaining("'#orders' is or contains null");
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop(context).placeLater(1))
                    .withMessageContaining("CompletableFuture");
            assertNothingIsStored(context);
        });
    }

    @Test
    void failsWithoutATransactionBeforeTheMethodBegins() {
        runner.run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop(context).placeOutsideOfATransaction(1))
                    .withMessageContaining("transaction");
            assertThat(shop(context).calls()).isZero();
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(OutboxPublisher.class).publish("Placed", new Order(1)))
                    .withMessageContaining("transaction");
        });
    }

    @Test
    void refusesAnEventTypeThatNobodyReceives() {
        runner.run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop(context).cancel(1))
                    .withMessageContaining("'Cancelled'")
                    .withMessageContaining("outbox.publisher.events[Cancelled].topic")
                    .withMessageContaining("@OutboxListener");
            Deliveries.inTransaction(
                    context,
                    () -> assertThatIllegalStateException()
                            .isThrownBy(() -> context.getBean(OutboxPublisher.class)
                                    .event("Placed")
                                    .aggregate("Order", "1")
                                    .publish(new Order(1)))
                            .withMessageContaining("'Order'"));
            assertNothingIsStored(context);
        });
    }

    @Test
    void takesAnyEventTypeWhereNothingIsDelivered() {
        runner.withPropertyValues("outbox.mode=writer-only").run(context -> {
            shop(context).cancel(1);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT event_type FROM outbox_event", String.class))
                    .isEqualTo("Cancelled");
        });
    }

    @Test
    void saysSoIfThereIsNoPublisher() {
        runner.withPropertyValues("outbox.publisher.enabled=false", "outbox.mode=single-node")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(OutboxPublisher.class);
                    assertThatIllegalStateException()
                            .isThrownBy(() -> shop(context).place(1))
                            .withMessageContaining("outbox.publisher.enabled");
                });
    }

    @Test
    void givesWayToAPublisherOfTheApplication() {
        runner.withUserConfiguration(OwnPublisher.class)
                .run(context ->
                        assertThat(context).hasSingleBean(OutboxPublisher.class).hasBean("ownPublisher"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnPublisher {
        @Bean
        OutboxPublisher ownPublisher(io.outbox.OutboxWriter writer) {
            return new io.outbox.DefaultOutboxPublisher(writer);
        }
    }

    // Proxies

    interface Till {
        Order pay(int id);
    }

    static class CashTill implements Till {
        @Override
        @Transactional
        @OutboxPublish(eventType = "Placed")
        public Order pay(int id) {
            return new Order(id);
        }
    }

    @Test
    void worksWithProxiesOfInterfaces() {
        PlainApplication.runner(Deliveries.class, CashTill.class)
                .withUserConfiguration(ProxiesOfInterfaces.class)
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .run(context -> {
                    Till till = context.getBean(Till.class);
                    assertThat(java.lang.reflect.Proxy.isProxyClass(till.getClass()))
                            .isTrue();
                    till.pay(1);
                    awaitPayloads(context, "{\"id\":1}");
                });
    }

    @ParameterizedTest
    @ValueSource(classes = {OuterTransactions.class, InnerTransactions.class})
    void runsInsideTheTransactionWhateverTheOrderOfItsAdvice(Class<?> transactions) {
        PlainApplication.runner(Deliveries.class, Shop.class, transactions).run(context -> {
            shop(context).place(1);
            awaitPayloads(context, "{\"id\":1}");
        });
    }

    static class HasAnExpressionOutsideOfBraces {
        @OutboxPublish(eventType = "Placed", key = "#result.id")
        public Order place() {
            return new Order(1);
        }
    }

    static class HasNoCondition {
        @OutboxPublish(eventType = "Placed", condition = "#result !")
        public Order place() {
            return new Order(1);
        }
    }

    static class HasNoHeader {
        @OutboxPublish(eventType = "Placed", headers = "channel")
        public Order place() {
            return new Order(1);
        }
    }

    static class ReturnsNothing {
        @OutboxPublish(eventType = "Placed")
        public void place() {}
    }

    static class IsPrivate {
        @OutboxPublish(eventType = "Placed")
        private Order place() {
            return new Order(1);
        }
    }

    static class IsNoExpression {
        @OutboxPublish(eventType = "Placed", payload = "#result +")
        public Order place() {
            return new Order(1);
        }
    }

    static class HasNoType {
        @OutboxPublish(eventType = " ")
        public Order place() {
            return new Order(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReturnsNothing.class,
                IsPrivate.class,
                IsNoExpression.class,
                HasNoType.class,
                HasAnExpressionOutsideOfBraces.class,
                HasNoCondition.class,
                HasNoHeader.class
            })
    void refusesToStartWithAMistakeInTheAnnotation(Class<?> bean) {
        PlainApplication.runner(bean).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("@OutboxPublish on " + bean.getName() + ".place: ");
        });
    }

    // @EnableOutbox

    @Configuration(proxyBeanMethods = false)
    @EnableOutbox
    @Import({PlainApplication.class, Deliveries.class, Shop.class, InnerTransactions.class})
    static class WithoutAutoConfiguration {}

    @Test
    void isEnabledByAnAnnotationWhereThereIsNoAutoConfiguration() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(WithoutAutoConfiguration.class)) {
            context.getBean(Shop.class).place(1);
            awaitPayloads(context, "{\"id\":1}");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableOutbox
    static class Enabled {}

    @Test
    void mayBeEnabledByAnAnnotationBesidesAutoConfiguration() {
        runner.withUserConfiguration(Enabled.class).run(context -> {
            shop(context).place(1);
            awaitPayloads(context, "{\"id\":1}");
        });
    }
}
