package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;

class OutboxedEventsTest {

    record Address(String region) {}

    @Outboxed(
            type = "${shop.placed:OrderPlaced}",
            aggregateType = "Order",
            aggregateId = "#{orderId}",
            tenant = "#{address.region()}",
            headers = {"region: #{address.region}", "source: ${shop.name:shop}", "none: #{comment}"})
    record OrderPlaced(String orderId, Address address, String comment) {}

    @Outboxed
    record Plain(int number) {}

    @Outboxed(delay = "#{after}")
    record Reminder(Duration after) {}

    @Outboxed
    record Unheard(int number) {}

    record NotOurs(int number) {}

    static class Listeners {
        final Queue<EventEnvelope> events = new ConcurrentLinkedQueue<>();
        final Queue<Object> local = new ConcurrentLinkedQueue<>();

        @OutboxListener(aggregateType = "Order")
        void placed(OrderPlaced payload, EventEnvelope event) {
            assertThat(payload.address().region()).isEqualTo("eu");
            events.add(event);
        }

        @OutboxListener
        void plain(Plain payload, EventEnvelope event) {
            events.add(event);
        }

        @OutboxListener
        void reminder(Reminder payload, EventEnvelope event) {
            events.add(event);
        }

        @EventListener
        void here(Plain payload) {
            local.add(payload);
        }

        EventEnvelope only() {
            await().untilAsserted(() -> assertThat(events).hasSize(1));
            return events.peek();
        }
    }

    private final ApplicationContextRunner runner = TestApplication.runner(Listeners.class);

    private static void publish(ApplicationContext context, Object event) {
        Deliveries.inTransaction(context, () -> context.publishEvent(event));
    }

    private static int rows(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class);
    }

    @Test
    void becomeEventsWithWhatTheAnnotationSays() {
        runner.run(context -> {
            publish(context, new OrderPlaced("42", new Address("eu"), null));
            EventEnvelope event = context.getBean(Listeners.class).only();
            assertThat(event.eventType()).isEqualTo("OrderPlaced");
            assertThat(event.aggregateType()).isEqualTo("Order");
            assertThat(event.aggregateId()).isEqualTo("42");
            assertThat(event.tenantId()).isEqualTo("eu");
            assertThat(event.headers()).containsEntry("region", "eu").containsEntry("source", "shop");
            assertThat(event.headers()).doesNotContainKey("none");
        });
    }

    @Test
    void haveTheTypeOfTheirListenerThroughPlaceholders() {
        runner.withPropertyValues("shop.placed=OrderPlacedV2").run(context -> {
            publish(context, new OrderPlaced("42", new Address("eu"), null));
            assertThat(context.getBean(Listeners.class).only().eventType()).isEqualTo("OrderPlacedV2");
        });
    }

    @Test
    void stillReachOtherListenersOfTheApplication() {
        runner.run(context -> {
            publish(context, new Plain(1));
            context.getBean(Listeners.class).only();
            assertThat(context.getBean(Listeners.class).local).containsExactly(new Plain(1));
        });
    }

    @Test
    void mayBeDelayed() {
        runner.run(context -> {
            publish(context, new Reminder(Duration.ofMillis(300)));
            EventEnvelope event = context.getBean(Listeners.class).only();
            assertThat(event.isDelayed()).isTrue();
            assertThat(event.availableAt()).isEqualTo(event.occurredAt().plusMillis(300));
        });
    }

    @Test
    void vanishWithTheirTransaction() {
        runner.run(context -> {
            assertThatThrownBy(() -> Deliveries.inTransaction(context, () -> {
                        context.publishEvent(new Plain(1));
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            assertThat(rows(context)).isZero();
        });
    }

    @Test
    void needATransaction() {
        runner.run(context -> assertThatThrownBy(() -> context.publishEvent(new Plain(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("transaction"));
    }

    @Test
    void needSomebodyToReceiveThem() {
        runner.run(context -> assertThatThrownBy(() -> publish(context, new Unheard(1)))
                .hasMessageContaining("Unheard")
                .hasMessageContaining("@OutboxListener"));
    }

    @Test
    void leaveOtherEventsAlone() {
        runner.run(context -> {
            context.publishEvent(new NotOurs(1));
            assertThat(rows(context)).isZero();
        });
    }

    static class AsynchronousListeners {
        @Bean
        ApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
            return multicaster;
        }
    }

    @Test
    void areWrittenInTheTransactionWhateverOtherListenersRunOn() {
        runner.withUserConfiguration(AsynchronousListeners.class).run(context -> {
            publish(context, new Plain(1));
            context.getBean(Listeners.class).only();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areWrittenOnceWhenContextsAreNested(boolean childIsConfiguredToo) {
        runner.run(parent -> {
            try (AnnotationConfigApplicationContext child = new AnnotationConfigApplicationContext()) {
                child.setParent(parent);
                if (childIsConfiguredToo) {
                    child.register(TestApplication.class);
                }
                child.refresh();
                Deliveries.inTransaction(parent, () -> child.publishEvent(new Plain(1)));
                parent.getBean(Listeners.class).only();
                assertThat(rows(parent)).isEqualTo(1);
            }
        });
    }

    @Test
    void goToTheOutboxEvenIfNothingElseIsPublished() {
        runner.withPropertyValues("outbox.publisher.enabled=false", "outbox.mode=single-node")
                .run(context -> {
                    publish(context, new Plain(1));
                    context.getBean(Listeners.class).only();
                });
    }

    static class Migration extends DataSourceScriptDatabaseInitializer {
        private final ApplicationEventPublisher events;

        Migration(DataSource dataSource, ApplicationEventPublisher events) {
            super(dataSource, new DatabaseInitializationSettings());
            this.events = events;
        }

        @Override
        public boolean initializeDatabase() {
            events.publishEvent(new NotOurs(1));
            return true;
        }
    }

    @Test
    void doNotNeedAnOutboxWhileTheDatabaseIsInitialized() {
        TestApplication.runner(Migration.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Outboxed(headers = "no colon")
    record BadHeader(int number) {}

    @Outboxed(aggregateId = "#{nothing.like.this}")
    record BadExpression(int number) {}

    @Outboxed(delay = "a while")
    record BadDelay(int number) {}

    @Test
    void saySoIfTheAnnotationIsWrong() {
        runner.run(context -> {
            for (Object event : new Object[] {new BadHeader(1), new BadExpression(1), new BadDelay(1)}) {
                assertThatThrownBy(() -> publish(context, event))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("@Outboxed on " + event.getClass().getName());
            }
        });
    }
}
