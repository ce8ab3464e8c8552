package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.admin.OutboxAdmin;
import io.outbox.model.OutboxStatus.State;
import io.outbox.spring.boot.actuator.OutboxEndpoint;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** One outbox for each of two DataSources. */
class SeveralDataSourcesTest {

    private final ApplicationContextRunner runner = TestApplication.runner(
                    TwoDataSources.class, TwoOutboxes.class, Listeners.class)
            .withPropertyValues("management.endpoints.web.exposure.include=*");

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        DataSource orders() {
            return pool();
        }

        @Bean
        DataSource billing() {
            return pool();
        }

        private static DataSource pool() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
            return pool;
        }

        @Bean
        PlatformTransactionManager orderTransactions(@Qualifier("orders") DataSource orders) {
            return new DataSourceTransactionManager(orders);
        }

        @Bean
        PlatformTransactionManager billingTransactions(@Qualifier("billing") DataSource billing) {
            return new DataSourceTransactionManager(billing);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoOutboxes {
        @Bean
        Outbox orderOutbox(OutboxFactory outboxes, @Qualifier("orders") DataSource orders) {
            return outboxes.create("orders", orders);
        }

        @Bean
        Outbox billingOutbox(OutboxFactory outboxes, @Qualifier("billing") DataSource billing) {
            return outboxes.create("billing", billing);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

        @Bean
        @OutboxListener(eventType = "Placed", outbox = "orders")
        EventListener placedInOrders() {
            return listener("orders");
        }

        @Bean
        @OutboxListener(eventType = "Placed", outbox = "billing")
        EventListener placedInBilling() {
            return listener("billing");
        }

        private EventListener listener(String name) {
            return event -> {
                delivered.add(name + " " + event.payloadJson());
                return DispatchResult.done();
            };
        }
    }

    private static TransactionTemplate in(ApplicationContext context, String transactions) {
        return new TransactionTemplate(context.getBean(transactions, PlatformTransactionManager.class));
    }

    private static OutboxWriter writer(ApplicationContext context, String outbox) {
        return context.getBean(outbox, Outbox.class).writer();
    }

    @Test
    void deliversEachOutboxToItsListeners() {
        runner.run(context -> {
            in(context, "orderTransactions")
                    .executeWithoutResult(tx -> writer(context, "orderOutbox").write("Placed", "1"));
            in(context, "billingTransactions")
                    .executeWithoutResult(tx -> writer(context, "billingOutbox").write("Placed", "2"));
            Queue<String> delivered = context.getBean(Listeners.class).delivered;
            await().untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrder("orders 1", "billing 2"));
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> {
                for (String outbox : List.of("orders", "billing")) {
                    assertThat(meters.get("outbox.events.dead")
                                    .tag("outbox", outbox)
                                    .gauge()
                                    .value())
                            .isZero();
                    assertThat(meters.get("outbox.dispatch.success")
                                    .tag("outbox", outbox)
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                }
            });
        });
    }

    @Test
    void haveOneNameEverywhere() {
        runner.run(context -> {
            assertThat(context.getBean(OutboxEndpoint.class).outboxes().outboxes())
                    .containsOnlyKeys("orders", "billing");
            assertThat(Health.of(context).details().keySet().stream().map(Object::toString))
                    .containsExactlyInAnyOrder("orders", "billing");
        });
    }

    record Bill(String customer) {}

    @Outboxed(type = "Placed", aggregateType = "Order", aggregateId = "#{id}", outbox = "orders")
    record Placed(String id) {}

    static class Sales {
        @Transactional("orderTransactions")
        @OutboxPublish(eventType = "Placed", outbox = "orders")
        public int placeInOrders(int id) {
            return id;
        }

        @Transactional("billingTransactions")
        @OutboxPublish(eventType = "Placed", outbox = "${shop.second:billing}")
        public int placeInBilling(int id) {
            return id;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfBilling {
        private final Queue<EventEnvelope> delivered = new ConcurrentLinkedQueue<>();

        @OutboxListener(outbox = "billing")
        void on(Bill bill, EventEnvelope event) {
            delivered.add(event);
        }

        @OutboxListener(outbox = "orders", aggregateType = "Order")
        void on(Placed placed, EventEnvelope event) {
            delivered.add(event);
        }
    }

    @Test
    void eachHasAPublisherThatKnowsItsListenersAndTheClassesOfTheApplication() {
        runner.withUserConfiguration(Sales.class, OfBilling.class).run(context -> {
            OutboxPublisher billing =
                    context.getBean("billingOutbox", Outbox.class).publisher();
            OutboxPublisher orders =
                    context.getBean("orderOutbox", Outbox.class).publisher();
            Queue<EventEnvelope> delivered = context.getBean(OfBilling.class).delivered;

            in(context, "billingTransactions").executeWithoutResult(tx -> {
                billing.publish(new Bill("Ann"));
                assertThatIllegalStateException()
                        .isThrownBy(() -> billing.publish(new Placed("7")))
                        .withMessageContaining("'Placed' of aggregate type 'Order' has no destination")
                        .withMessageContaining("its listeners are for other aggregate types");
            });
            in(context, "orderTransactions").executeWithoutResult(tx -> {
                orders.publish(new Placed("7"));
                assertThatIllegalStateException()
                        .isThrownBy(() -> orders.publish(new Bill("Ann")))
                        .withMessageContaining("'Bill' has no destination");
            });

            await().untilAsserted(() -> assertThat(delivered)
                    .extracting(EventEnvelope::eventType, EventEnvelope::aggregateId, EventEnvelope::payloadJson)
                    .containsExactlyInAnyOrder(
                            tuple("Bill", null, "{\"customer\":\"Ann\"}"), tuple("Placed", "7", "{\"id\":\"7\"}")));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryOutbox {
        @Bean
        @Primary
        Outbox orderOutbox(OutboxFactory outboxes, @Qualifier("orders") DataSource orders) {
            return outboxes.create("orders", orders);
        }

        @Bean
        Outbox billingOutbox(OutboxFactory outboxes, @Qualifier("billing") DataSource billing) {
            return outboxes.create("billing", billing);
        }
    }

    @Test
    void thePublisherOfThePrimaryOneKnowsItsListenersOnly() {
        TestApplication.runner(TwoDataSources.class, PrimaryOutbox.class, OfBilling.class)
                .run(context -> {
                    OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                    in(context, "orderTransactions").executeWithoutResult(tx -> {
                        publisher.publish(new Placed("7"));
                        assertThatIllegalStateException()
                                .isThrownBy(() -> publisher.publish(new Bill("Ann")))
                                .withMessageContaining("'Bill' has no destination");
                    });
                });
    }

    @Test
    void gaugesOfEventsHaveTheNameOfTheOutboxAsWell() {
        runner.withPropertyValues(
                        "outbox.auto-startup=false",
                        "outbox.publisher.metrics.gauge.enabled=true",
                        "outbox.publisher.dlq.enabled=true",
                        "outbox.publisher.dlq.metrics.gauge.enabled=true")
                .run(context -> {
                    in(context, "orderTransactions")
                            .executeWithoutResult(
                                    tx -> writer(context, "orderOutbox").write("Placed", "1"));

                    assertThat(gauge(context, "outbox.events", "orders")).isEqualTo(1);
                    assertThat(gauge(context, "outbox.events", "billing")).isZero();
                    assertThat(gauge(context, "outbox.dlq.events", "orders")).isZero();
                    assertThat(gauge(context, "outbox.dlq.events", "billing")).isZero();
                });
    }

    private static double gauge(ApplicationContext context, String name, String outbox) {
        return context.getBean(MeterRegistry.class)
                .get(name)
                .tag("outbox", outbox)
                .gauge()
                .value();
    }

    record Refund(String customer) {}

    static class SubscriptionOfBilling {
        private final Queue<Refund> delivered = new ConcurrentLinkedQueue<>();

        @OutboxListener(outbox = "billing", subscription = "mail")
        void on(Refund refund) {
            delivered.add(refund);
        }
    }

    @Test
    void eachHasAPublisherThatKnowsItsSubscriptionsAndNotThoseOfTheOther() {
        runner.withUserConfiguration(SubscriptionOfBilling.class).run(context -> {
            OutboxPublisher billing =
                    context.getBean("billingOutbox", Outbox.class).publisher();
            OutboxPublisher orders =
                    context.getBean("orderOutbox", Outbox.class).publisher();

            in(context, "billingTransactions").executeWithoutResult(tx -> billing.publish(new Refund("Ann")));
            in(context, "orderTransactions")
                    .executeWithoutResult(tx -> assertThatIllegalStateException()
                            .isThrownBy(() -> orders.publish(new Refund("Ann")))
                            .withMessageContaining("'Refund' has no destination"));

            Queue<Refund> delivered = context.getBean(SubscriptionOfBilling.class).delivered;
            await().untilAsserted(() -> assertThat(delivered).containsExactly(new Refund("Ann")));
        });
    }

    @Test
    void resultsArePublishedInTheOneThatIsNamed() {
        runner.withUserConfiguration(Sales.class).run(context -> {
            context.getBean(Sales.class).placeInOrders(1);
            context.getBean(Sales.class).placeInBilling(2);

            Queue<String> delivered = context.getBean(Listeners.class).delivered;
            await().untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrder("orders 1", "billing 2"));
        });
    }

    @Test
    void refusesATransactionOfTheOtherDataSource() {
        runner.run(context -> {
            in(context, "billingTransactions")
                    .executeWithoutResult(tx -> assertThatIllegalStateException()
                            .isThrownBy(() -> writer(context, "orderOutbox").write("Placed", "1"))
                            .withMessageContaining("is not a transaction on DataSource HikariDataSource")
                            .withMessageContaining("it has a connection of DataSource HikariDataSource"));
            in(context, "orderTransactions").executeWithoutResult(outer -> {
                writer(context, "orderOutbox").write("Placed", "1");
                in(context, "billingTransactions").executeWithoutResult(inner -> {
                    writer(context, "billingOutbox").write("Placed", "2");
                    assertThatIllegalStateException()
                            .isThrownBy(() -> writer(context, "orderOutbox").write("Placed", "3"));
                });
                outer.setRollbackOnly();
            });
            Queue<String> delivered = context.getBean(Listeners.class).delivered;
            await().untilAsserted(() -> assertThat(delivered).containsExactly("billing 2"));
            assertThat(new JdbcTemplate(context.getBean("orders", DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                    .isZero();
        });
    }

    @Test
    void theAdministrationWantsToKnowWhichOneIsMeant() {
        runner.withPropertyValues("outbox.admin.enabled=true")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("there are several: [billingOutbox, orderOutbox]"));
        runner.withPropertyValues("outbox.admin.enabled=true")
                .withUserConfiguration(AdministrationOfOrders.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class AdministrationOfOrders {
        @Bean
        OutboxAdmin administration(@Qualifier("orderOutbox") Outbox outbox) {
            return OutboxAdmin.of(outbox).build();
        }
    }

    @Test
    void pausesOneOfThem() {
        runner.run(context -> {
            context.getBean(OutboxEndpoint.class).change(OutboxEndpoint.Action.PAUSE, "orders");
            assertThat(context.getBean("orderOutbox", Outbox.class).state()).isEqualTo(State.PAUSED);
            assertThat(context.getBean("billingOutbox", Outbox.class).state()).isEqualTo(State.RUNNING);
        });
    }

    @Test
    void wantsToKnowTheOutboxOfEveryListener() {
        runner.withUserConfiguration(Deliveries.class).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasMessageContaining("'placed'")
                    .hasMessageContaining("[orders, billing]");
        });
    }

    @Test
    void usesTheOnlyOutboxOfTheFactoryForListenersThatNameNone() {
        TestApplication.runner(TwoDataSources.class, OneOutbox.class, Deliveries.class)
                .run(context -> {
                    in(context, "billingTransactions")
                            .executeWithoutResult(
                                    tx -> context.getBean(OutboxWriter.class).write("Placed", "1"));
                    Deliveries.awaitPayloads(context, "1");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OneOutbox {
        @Bean
        Outbox outbox(OutboxFactory outboxes, @Qualifier("billing") DataSource billing) {
            return outboxes.create("billing", billing);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDataSource extends TwoDataSources {
        @Bean
        @Primary
        @Override
        DataSource orders() {
            return super.orders();
        }
    }

    static class Shop {
        @Transactional("billingTransactions")
        @OutboxPublish(eventType = "Placed")
        public int place(int id) {
            return id;
        }

        @OutboxPublish(eventType = "Placed")
        public int placeOutsideOfATransaction(int id) {
            throw new AssertionError("called without a transaction: " + id);
        }
    }

    @Test
    void publishesToTheListenersOfTheFactorysOutbox() {
        TestApplication.runner(TwoDataSources.class, OneOutbox.class, Deliveries.class)
                .run(context -> {
                    OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                    in(context, "billingTransactions").executeWithoutResult(tx -> {
                        publisher.publish("Placed", 1);
                        assertThatIllegalStateException()
                                .isThrownBy(() -> publisher.publish("Cancelled", 1))
                                .withMessageContaining("'Cancelled'");
                    });
                    Deliveries.awaitPayloads(context, "1");
                });
    }

    @Test
    void publishesResultsWithoutAnEngineInThePrimaryDataSource() {
        TestApplication.runner(PrimaryDataSource.class, OneOutbox.class, Deliveries.class, Shop.class)
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    shop.place(1);
                    Deliveries.awaitPayloads(context, "1");
                    assertThatIllegalStateException()
                            .isThrownBy(() -> shop.placeOutsideOfATransaction(2))
                            .withMessageContaining("No active transaction");
                    assertThat(context.getBeanFactory().containsSingleton("outboxBackend"))
                            .isFalse();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnSettings {
        @Bean
        @ConfigurationProperties("billing.outbox")
        OutboxProperties billingSettings() {
            return new OutboxProperties();
        }

        @Bean
        Outbox billingOutbox(
                OutboxFactory outboxes,
                @Qualifier("billing") DataSource billing,
                @Qualifier("billingSettings") OutboxProperties settings) {
            return outboxes.create("billing", billing, settings);
        }
    }

    @Test
    void bindsSettingsOfTheApplicationsChoice() {
        TestApplication.runner(TwoDataSources.class, OwnSettings.class)
                .withPropertyValues("billing.outbox.table-name=bills", "outbox.table-name=orders")
                .run(context -> {
                    assertThat(context.getBean(OutboxProperties.class).getTableName())
                            .isEqualTo("orders");
                    assertThat(new JdbcTemplate(context.getBean("billing", DataSource.class))
                                    .queryForObject("SELECT COUNT(*) FROM bills", Integer.class))
                            .isZero();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimarySettings {
        @Bean
        @Primary
        OutboxProperties settings() {
            return new OutboxProperties();
        }
    }

    @Test
    void leavesItToTheApplicationWhichSettingsArePrimary() {
        TestApplication.runner(PrimarySettings.class)
                .run(context ->
                        assertThat(context.getBean(OutboxProperties.class)).isSameAs(context.getBean("settings")));
    }

    @Test
    void takesTheMarkedDataSource() {
        TestApplication.runner(Marked.class, Deliveries.class).run(context -> {
            in(context, "billingTransactions")
                    .executeWithoutResult(
                            tx -> context.getBean(OutboxWriter.class).write("Placed", "1"));
            Deliveries.awaitPayloads(context, "1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        DataSource orders() {
            return TwoDataSources.pool();
        }

        @Bean
        @OutboxDataSource
        DataSource billing() {
            return TwoDataSources.pool();
        }

        @Bean
        PlatformTransactionManager billingTransactions(@OutboxDataSource DataSource billing) {
            return new DataSourceTransactionManager(billing);
        }
    }
}
