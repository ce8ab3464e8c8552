package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.OutboxListener;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with an outbox in each of two databases, in the mode in which the store's clock tells what is due. */
@SpringBootTest(
        properties = {
            "outbox.mode=multi-node",
            "outbox.claim-locking.enabled=true",
            "outbox.claim-locking.lock-timeout=1m"
        })
@AutoConfigureOutboxTester
class SeveralOutboxesTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
                "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration",
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
            })
    static class TwoDatabases {

        final List<String> delivered = new ArrayList<>();

        @Bean
        DataSource orders() {
            return database();
        }

        @Bean
        DataSource stock() {
            return database();
        }

        private static DataSource database() {
            return new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .generateUniqueName(true)
                    .build();
        }

        @Bean
        PlatformTransactionManager ordersTransactions(DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        PlatformTransactionManager stockTransactions(DataSource stock) {
            return new JdbcTransactionManager(stock);
        }

        @Bean
        Outbox ordersOutbox(OutboxFactory outboxes, DataSource orders) {
            return outboxes.create("orders", orders);
        }

        @Bean
        Outbox stockOutbox(OutboxFactory outboxes, DataSource stock) {
            return outboxes.create("stock", stock);
        }

        /** Writes to the outbox that was asked for due events before this one. */
        @Bean
        @OutboxListener(eventType = "Picked", outbox = "stock")
        EventListener picked(Outbox ordersOutbox, PlatformTransactionManager ordersTransactions) {
            return event -> {
                delivered.add(event.eventType());
                new TransactionTemplate(ordersTransactions)
                        .executeWithoutResult(tx -> ordersOutbox.writer().write("Shipped", "{}"));
                return DispatchResult.done();
            };
        }

        @Bean
        @OutboxListener(eventType = "Shipped", outbox = "orders")
        EventListener shipped() {
            return event -> {
                delivered.add(event.eventType());
                return DispatchResult.done();
            };
        }
    }

    @Autowired
    TwoDatabases application;

    @Autowired
    Outbox stockOutbox;

    @Autowired
    PlatformTransactionManager stockTransactions;

    @Autowired
    OutboxTester outbox;

    @Test
    void theTesterSpeaksForAllOfThem() {
        new TransactionTemplate(stockTransactions)
                .executeWithoutResult(tx -> stockOutbox.writer().write("Picked", "{}"));

        assertThat(outbox.deliverDue()).isEqualTo(2);

        assertThat(application.delivered).containsExactly("Picked", "Shipped");
        assertThat(outbox).hasWrittenExactly("Picked", "Shipped").hasNothingPending();
    }
}
