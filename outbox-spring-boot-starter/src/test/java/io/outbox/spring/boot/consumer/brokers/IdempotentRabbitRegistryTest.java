package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.consumer.IdempotentConsumers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.config.SimpleRabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.SimpleMessageListenerContainer;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.util.ReflectionUtils;

/** The registry starts the containers of idempotent listeners when Spring's starts those of others. */
class IdempotentRabbitRegistryTest {

    private final Bills bills = new Bills();
    private final List<String> started = new ArrayList<>();
    private final GenericApplicationContext context = new GenericApplicationContext();
    private IdempotentRabbitRegistry registry;

    static class Bills {
        @Idempotent
        public void idempotent(String item) {}

        public void plain(String item) {}
    }

    private final class Factory extends SimpleRabbitListenerContainerFactory {

        @Override
        protected SimpleMessageListenerContainer createContainerInstance() {
            return new SimpleMessageListenerContainer() {
                @Override
                public void start() {
                    started.add(getListenerId());
                }
            };
        }
    }

    @BeforeEach
    void createRegistry() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:");
        context.getBeanFactory().registerSingleton("inbox", JdbcInbox.of(dataSource));
        context.getBeanFactory()
                .registerSingleton(
                        "consumers",
                        new IdempotentConsumers(
                                "billing", name -> mock(OutboxIdempotentConsumer.class), UnaryOperator.identity()));
        context.getBeanFactory()
                .registerSingleton(
                        "listeners",
                        new BrokerListeners(
                                context.getBeanFactory().getBeanProvider(IdempotentConsumers.class),
                                context.getBeanFactory().getBeanProvider(JdbcInbox.class)));
        context.refresh();
        registry = new IdempotentRabbitRegistry(context.getBeanProvider(BrokerListeners.class));
        registry.setApplicationContext(context);
    }

    @AfterEach
    void close() {
        context.close();
    }

    private void register(String method, boolean autoStartup, boolean startImmediately) {
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        MethodRabbitListenerEndpoint endpoint = new MethodRabbitListenerEndpoint();
        endpoint.setId(method + (autoStartup ? " automatic" : " manual") + (startImmediately ? " now" : " later"));
        endpoint.setQueueNames("bills");
        endpoint.setBean(bills);
        endpoint.setMethod(ReflectionUtils.findMethod(Bills.class, method, String.class));
        endpoint.setMessageHandlerMethodFactory(methods);
        Factory factory = new Factory();
        factory.setConnectionFactory(mock(ConnectionFactory.class));
        factory.setAutoStartup(autoStartup);
        registry.registerListenerContainer(endpoint, factory, startImmediately);
    }

    private void registerAll(String method) {
        for (boolean autoStartup : new boolean[] {true, false}) {
            register(method, autoStartup, true);
            register(method, autoStartup, false);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "idempotent"})
    void beforeTheApplicationHasStartedByItsSetting(String method) {
        registerAll(method);
        assertThat(started).containsExactly(method + " automatic now");
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "idempotent"})
    void afterTheApplicationHasStartedAsSoonAsItIsWanted(String method) {
        registry.onApplicationEvent(new ContextRefreshedEvent(context));
        registerAll(method);
        assertThat(started).containsExactly(method + " automatic now", method + " manual now");
    }
}
