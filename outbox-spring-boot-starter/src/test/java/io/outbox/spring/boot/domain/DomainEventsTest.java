package io.outbox.spring.boot.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.domain.Invoice.InvoiceWritten;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** What aggregates of Spring Data publish goes to the outbox in the transaction that saves them. */
class DomainEventsTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableJpaRepositories
    static class Application {
        final Queue<String> heard = new ConcurrentLinkedQueue<>();

        @OutboxListener(aggregateType = "Invoice")
        void on(InvoiceWritten event) {
            heard.add(event.invoiceId());
        }
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues("spring.jpa.hibernate.ddl-auto=create-drop");

    @Test
    void reachTheirListenersAfterTheCommit() {
        runner.run(context -> {
            context.getBean(Invoices.class).save(new Invoice("2026-1"));
            await().untilAsserted(() ->
                    assertThat(context.getBean(Application.class).heard).containsExactly("2026-1"));
        });
    }

    @Test
    void vanishWithTheAggregate() {
        runner.run(context -> {
            assertThatThrownBy(() -> context.getBean(TransactionTemplate.class).executeWithoutResult(tx -> {
                        context.getBean(Invoices.class).save(new Invoice("2026-2"));
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                    .isZero();
        });
    }
}
