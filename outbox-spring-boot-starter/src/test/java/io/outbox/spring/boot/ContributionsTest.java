package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.CompletionListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Beans of the application that take part in the life of events. */
class ContributionsTest {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    @Configuration(proxyBeanMethods = false)
    static class Contributing {

        final Queue<String> log = new ConcurrentLinkedQueue<>();

        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener placed() {
            return event -> {
                log.add(event.payloadJson() + " for " + TENANT.get());
                return DispatchResult.done();
            };
        }

        @Bean
        @OutboxListener(eventType = "Failing")
        EventListener failing() {
            return event -> {
                throw new UnrecoverableException("no such order");
            };
        }

        @Bean
        ContextPropagator tenant() {
            return new ContextPropagator() {
                @Override
                public Map<String, String> capture() {
                    return TENANT.get() == null ? Map.of() : Map.of("tenant", TENANT.get());
                }

                @Override
                public Scope restore(Map<String, String> headers) {
                    TENANT.set(headers.get("tenant"));
                    return TENANT::remove;
                }
            };
        }

        @Bean
        @Order(2)
        CompletionListener second() {
            return new CompletionListener() {
                @Override
                public void onDone(EventEnvelope event) {
                    log.add("second done " + event.payloadJson());
                }
            };
        }

        @Bean
        @Order(1)
        CompletionListener first(JdbcTemplate statements) {
            return new CompletionListener() {
                @Override
                public void onDone(EventEnvelope event) {
                    log.add("first done " + event.payloadJson() + ", status " + status(statements, event.eventId()));
                }

                @Override
                public void onDead(DeadEvent event) {
                    log.add("dead " + event.cause().getMessage() + ", status " + status(statements, event.eventId()));
                }
            };
        }

        private static Integer status(JdbcTemplate statements, String eventId) {
            return statements.queryForObject(
                    "SELECT status FROM outbox_event WHERE event_id = ?", Integer.class, eventId);
        }
    }

    @Test
    void carryTheContextFromTheWriteToTheListenerAndHearWhatBecameOfEvents() {
        TestApplication.runner(Contributing.class).run(context -> {
            Queue<String> log = context.getBean(Contributing.class).log;
            TENANT.set("acme");
            try {
                write(context, "Placed", "1");
            } finally {
                TENANT.remove();
            }
            await().untilAsserted(() ->
                    assertThat(log).containsExactly("1 for acme", "first done 1, status 1", "second done 1"));
            log.clear();
            write(context, "Failing", "2");
            await().untilAsserted(() -> assertThat(log).containsExactly("dead no such order, status 3"));
        });
    }

    @Test
    void takePartInEveryOutboxOfAFactory() {
        TestApplication.runner(Contributing.class, SeveralOutboxes.class).run(context -> {
            Queue<String> log = context.getBean(Contributing.class).log;
            write(context, "Placed", "1");
            await().untilAsserted(() ->
                    assertThat(log).containsExactly("1 for null", "first done 1, status 1", "second done 1"));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class SeveralOutboxes {
        @Bean(destroyMethod = "close")
        Outbox orders(OutboxFactory outboxes, DataSource dataSource) {
            return outboxes.create("orders", dataSource);
        }
    }

    /** Writes an event about each event that is delivered. */
    @Configuration(proxyBeanMethods = false)
    static class WritingInterceptor {
        @Bean
        EventInterceptor audit(OutboxWriter writer, PlatformTransactionManager transactions) {
            return EventInterceptor.before(event -> {
                if (event.eventType().equals("Ordered")) {
                    new TransactionTemplate(transactions)
                            .executeWithoutResult(tx -> writer.write("Placed", event.payloadJson()));
                }
            });
        }

        @Bean
        @OutboxListener(eventType = "Ordered")
        EventListener ordered() {
            return event -> DispatchResult.done();
        }
    }

    @Test
    void mayWriteEventsThemselves() {
        TestApplication.runner(WritingInterceptor.class, Deliveries.class).run(context -> {
            write(context, "Ordered", "7");
            Deliveries.awaitPayloads(context, "7");
        });
    }

    /** Fails when it is told whether the target of a lane is available. */
    @Configuration(proxyBeanMethods = false)
    static class FailingExporter {

        final Queue<String> log = new ConcurrentLinkedQueue<>();

        @Bean
        MetricsExporter exporter() {
            return new ForwardingMetrics(MetricsExporter.NOOP) {
                @Override
                public void recordRouteUnavailable(String eventType, boolean unavailable) {
                    log.add(eventType + " " + unavailable);
                    throw new IllegalStateException("no such meter");
                }
            };
        }

        @Bean
        @OutboxListener(eventType = "Ordered", concurrency = "1")
        EventListener ordered() {
            return event -> DispatchResult.done();
        }
    }

    @Test
    void anExporterThatFailsDoesNotEndTheStart() {
        PlainApplication.runner(FailingExporter.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(FailingExporter.class).log).containsExactly("Ordered false");
        });
    }
}
