package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.WriterHook;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spring.SpringTxContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class OutboxAutoConfigurationTest {

    private final ApplicationContextRunner runner = TestApplication.runner(Deliveries.class);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.mode=single-node",
                "outbox.mode=multi-node,outbox.claim-locking.enabled=true",
                "outbox.mode=multi-node,outbox.claim-locking.enabled=true,outbox.claim-locking.owner-id=node-1",
                "outbox.mode=ordered",
                "outbox.purge.enabled=true,outbox.table-name=my_events"
            })
    void deliversInEveryModeThatDelivers(String properties) {
        runner.withPropertyValues(properties.split(",")).run(context -> {
            assertThat(context.getBean(Outbox.class).state()).isEqualTo(State.RUNNING);
            write(context, "Placed", "1");
            write(context, "Placed", "2");
            awaitPayloads(context, "1", "2");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ReadingListener {

        private final Queue<List<?>> payloads = new ConcurrentLinkedQueue<>();

        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener reading() {
            return event -> {
                payloads.add(event.payload(List.class));
                return DispatchResult.done();
            };
        }
    }

    @Test
    void deliversAndReadsPayloadsWhenBeansAreLazy() {
        TestApplication.runner(ReadingListener.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues("outbox.publisher.metrics.gauge.enabled=true")
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("outboxEventGauges"))
                            .isTrue();
                    write(context, "Placed", "[1]");
                    await().untilAsserted(() -> assertThat(context.getBean(ReadingListener.class).payloads)
                            .singleElement()
                            .isEqualTo(List.of(1)));
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class DataSourceThatTakesPart {

        @Bean
        static BeanPostProcessor transactionAware() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    return bean instanceof DataSource dataSource
                            ? new TransactionAwareDataSourceProxy(dataSource)
                            : bean;
                }
            };
        }
    }

    @Test
    void aLookAtTheOutboxLeavesTheTransactionAloneWhateverTheDataSource() {
        TestApplication.runner(Deliveries.class, DataSourceThatTakesPart.class).run(context -> {
            Outbox outbox = context.getBean(Outbox.class);
            JdbcTemplate statements = context.getBean(JdbcTemplate.class);
            statements.execute("CREATE TABLE orders (id INT)");

            context.getBean(TransactionTemplate.class).executeWithoutResult(tx -> {
                statements.update("INSERT INTO orders VALUES (1)");
                assertThat(outbox.deadEvents().count(null)).isZero();
                assertThat(outbox.deadEvents().replay("none")).isFalse();
                assertThat(outbox.counts()).isEmpty();
                tx.setRollbackOnly();
            });

            assertThat(statements.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                    .isZero();
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
        });
    }

    @Test
    void onlyWritesInWriterOnlyMode() {
        runner.withPropertyValues("outbox.mode=writer-only").run(context -> {
            write(context, "Placed", "1");
            assertThat(context.getBean(Outbox.class).state()).isEqualTo(State.WRITER_ONLY);
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 0", Integer.class))
                    .isEqualTo(1);
        });
    }

    @Test
    void purgesByAgeInWriterOnlyMode() {
        runner.withPropertyValues(
                        "outbox.mode=writer-only",
                        "outbox.purge.enabled=true",
                        "outbox.purge.retention=0s",
                        "outbox.purge.interval-seconds=1")
                .run(context -> {
                    write(context, "Placed", "1");
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    await().untilAsserted(() -> assertThat(
                                    jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                            .isZero());
                });
    }

    @Test
    void writesOnlyInATransaction() {
        runner.run(context -> assertThatIllegalStateException()
                .isThrownBy(() -> context.getBean(OutboxWriter.class).write("Placed", "1"))
                .withMessageContaining("No active transaction")
                .withMessageContaining("HikariDataSource"));
    }

    @Test
    void retriesWithTheSettingsOfTheApplication() {
        TestApplication.runner(Failing.class)
                .withPropertyValues("outbox.dispatcher.max-attempts=3")
                .run(context -> {
                    write(context, "Failing", "1");
                    Failing failing = context.getBean(Failing.class);
                    await().untilAsserted(() -> assertThat(
                                    context.getBean(Outbox.class).deadEvents().count("Failing"))
                            .isEqualTo(1));
                    assertThat(failing.attempts).hasValue(3);
                });
    }

    @OutboxListener(eventType = "Failing")
    static class Failing implements io.outbox.EventListener {
        private final AtomicInteger attempts = new AtomicInteger();

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            attempts.incrementAndGet();
            throw new IllegalStateException("listener fails");
        }
    }

    // Conditions

    @Test
    void needsADataSource() {
        new ApplicationContextRunner()
                .withUserConfiguration(TestApplication.class)
                .withClassLoader(new FilteredClassLoader("org.h2", "com.zaxxer"))
                .withPropertyValues(
                        "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                                + "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
    }

    @Test
    void needsTheCore() {
        runner.withClassLoader(new FilteredClassLoader(Outbox.class))
                .run(context -> assertThat(context).doesNotHaveBean("outboxListenerRegistry"));
    }

    // Replacing beans

    @Test
    void hasEveryPartAsABean() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(OutboxStore.class)
                .hasSingleBean(ConnectionProvider.class)
                .hasSingleBean(TxContext.class)
                .hasSingleBean(ListenerRegistry.class)
                .hasSingleBean(OutboxBackend.class)
                .hasSingleBean(MetricsExporter.class)
                .hasSingleBean(OutboxWriter.class)
                .hasSingleBean(Outbox.class));
    }

    @Test
    void givesWayToBeansOfTheApplication() {
        runner.withUserConfiguration(OwnParts.class).run(context -> {
            assertThat(context)
                    .hasSingleBean(OutboxStore.class)
                    .hasSingleBean(ConnectionProvider.class)
                    .hasSingleBean(TxContext.class)
                    .hasSingleBean(ListenerRegistry.class)
                    .hasSingleBean(EventPurger.class)
                    .hasSingleBean(MetricsExporter.class)
                    .hasSingleBean(OutboxWriter.class)
                    .hasSingleBean(JsonCodec.class);
            assertThat(context.getBean(OutboxStore.class)).isSameAs(context.getBean("ownStore"));
            assertThat(context.getBean(JsonCodec.class)).isSameAs(JsonCodec.getDefault());
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnParts {
        @Bean
        OutboxStore ownStore() {
            return new H2OutboxStore();
        }

        @Bean
        ConnectionProvider ownConnections(DataSource dataSource) {
            return dataSource::getConnection;
        }

        @Bean
        TxContext ownTxContext(DataSource dataSource) {
            return new SpringTxContext(dataSource);
        }

        @Bean
        ListenerRegistry ownListeners() {
            return new DefaultListenerRegistry();
        }

        @Bean
        EventPurger ownPurger() {
            return (connection, before, limit) -> 0;
        }

        @Bean
        MetricsExporter ownMetrics() {
            return MetricsExporter.NOOP;
        }

        @Bean
        OutboxWriter ownWriter(Outbox outbox) {
            return outbox.writer();
        }

        @Bean
        JsonCodec ownCodec() {
            return new JsonCodec() {
                @Override
                public String toJson(Object obj) {
                    return "own";
                }

                @Override
                public <T> T fromJson(String json, Class<T> type) {
                    return null;
                }
            };
        }
    }

    @Test
    void givesWayToAnOutboxOfTheApplicationThatIsMadeOfItsParts() {
        runner.withUserConfiguration(OwnOutbox.class).run(context -> {
            assertThat(context).hasSingleBean(Outbox.class);
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOutbox {
        @Bean
        Outbox ownOutbox(ConnectionProvider connections, TxContext tx, OutboxStore store, ListenerRegistry listeners) {
            return Outbox.singleNode()
                    .connectionProvider(connections)
                    .txContext(tx)
                    .outboxStore(store)
                    .listenerRegistry(listeners)
                    .startManually()
                    .build();
        }
    }

    @Test
    void usesInterceptorsHooksAndRetryPolicyOfTheApplication() {
        runner.withUserConfiguration(Extensions.class, Failing.class).run(context -> {
            Extensions extensions = context.getBean(Extensions.class);
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
            write(context, "Failing", "2");
            await().untilAsserted(() -> assertThat(extensions.policyAsked).isTrue());
            assertThat(extensions.log).startsWith("write Placed", "dispatch Placed", "write Failing");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Extensions {
        private final List<String> log = java.util.Collections.synchronizedList(new ArrayList<>());
        private final AtomicBoolean policyAsked = new AtomicBoolean();

        @Bean
        EventInterceptor interceptor() {
            return EventInterceptor.before(event -> log.add("dispatch " + event.eventType()));
        }

        @Bean
        WriterHook hook() {
            return new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    events.forEach(event -> log.add("write " + event.eventType()));
                    return events;
                }
            };
        }

        @Bean
        RetryPolicy retryPolicy() {
            return attempts -> {
                policyAsked.set(true);
                return 60_000;
            };
        }
    }

    // Threads and transactions

    @Test
    void usesVirtualThreadsWhereTheApplicationDoesAndTheJvmHasThem() {
        TestApplication.runner(WorkerThread.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    write(context, "Thread", "1");
                    WorkerThread worker = context.getBean(WorkerThread.class);
                    await().until(() -> worker.thread != null);
                    assertThat(isVirtual(worker.thread))
                            .isEqualTo(Runtime.version().feature() >= 21);
                });
        TestApplication.runner(WorkerThread.class).run(context -> {
            write(context, "Thread", "1");
            WorkerThread worker = context.getBean(WorkerThread.class);
            await().until(() -> worker.thread != null);
            assertThat(isVirtual(worker.thread)).isFalse();
        });
    }

    @OutboxListener(eventType = "Thread")
    static class WorkerThread implements io.outbox.EventListener {
        private volatile Thread thread;

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            thread = Thread.currentThread();
            return DispatchResult.done();
        }
    }

    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return Runtime.version().feature() >= 21
                && (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }

    @Test
    void listensToTheTransactionManagerOnce() {
        runner.run(context -> assertThat(
                        context.getBean(ConfigurableTransactionManager.class).getTransactionExecutionListeners())
                .containsOnlyOnce(context.getBean(SpringTxContext.class)));
    }

    @Test
    void writesAFollowUpInANewTransactionOfAListener() {
        TestApplication.runner(Deliveries.class, FollowUp.class).run(context -> {
            write(context, "Ordered", "7");
            awaitPayloads(context, "7");
        });
    }

    @OutboxListener(eventType = "Ordered")
    static class FollowUp implements io.outbox.EventListener {
        private final OutboxWriter writer;
        private final TransactionTemplate transaction;

        FollowUp(OutboxWriter writer, TransactionTemplate transaction) {
            this.writer = writer;
            this.transaction = transaction;
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            transaction.executeWithoutResult(tx -> writer.write("Placed", event.payloadJson()));
            return DispatchResult.done();
        }
    }
}
