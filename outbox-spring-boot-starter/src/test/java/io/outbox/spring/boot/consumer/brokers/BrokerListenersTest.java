package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.consumer.IdempotentConsumers;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.lang.annotation.Annotation;
import java.util.function.UnaryOperator;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.util.ReflectionUtils;

/** Which listeners have a consumer of their own by default, and which have to name it. */
class BrokerListenersTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final BrokerListeners listeners = new BrokerListeners(
            beans.getBeanProvider(IdempotentConsumers.class), beans.getBeanProvider(JdbcInbox.class));

    @BeforeEach
    void addConsumers() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:");
        beans.registerSingleton("inbox", JdbcInbox.of(dataSource));
        beans.registerSingleton(
                "consumers",
                new IdempotentConsumers(
                        "billing", name -> mock(OutboxIdempotentConsumer.class), UnaryOperator.identity()));
    }

    private OutboxIdempotentConsumer consumer(Object bean, String method, Class<? extends Annotation> kind) {
        return listeners
                .idempotent(bean, ReflectionUtils.findMethod(bean.getClass(), method, String.class), kind)
                .orElseThrow()
                .consumer();
    }

    @Test
    void messagesOfSpringAmqpAreReadWithoutItsListenersOfRabbit() {
        new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.springframework.amqp.rabbit"))
                .withConfiguration(AutoConfigurations.of(OutboxBrokerListenersAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .hasSingleBean(AmqpMessageHeaderReader.class)
                        .doesNotHaveBean("outboxRabbitRegistryCheck"));
    }

    static class Bill {

        @Idempotent
        @KafkaListener(topics = "bills")
        void on(String item) {}

        @Idempotent(consumer = "bills")
        @KafkaListener(topics = "bills")
        void named(String item) {}

        @Idempotent
        @KafkaListener(topics = "bills", groupId = "a")
        @KafkaListener(topics = "bills", groupId = "b")
        void twice(String item) {}

        @Idempotent
        @RabbitListener(queues = "a")
        @RabbitListener(queues = "b")
        void twiceInRabbit(String item) {}

        @Idempotent(consumer = "bills")
        @KafkaListener(topics = "bills", groupId = "a")
        @KafkaListener(topics = "bills", groupId = "b")
        void namedTwice(String item) {}

        @Idempotent
        @KafkaListener(topics = "bills")
        @RabbitListener(queues = "bills")
        void ofBoth(String item) {}
    }

    @Test
    void aListenerHasOneConsumerHoweverManyContainersItHas() {
        Bill bill = new Bill();
        assertThat(consumer(bill, "on", KafkaListener.class)).isSameAs(consumer(bill, "on", KafkaListener.class));
    }

    @Test
    void twoBeansOfOneClassHaveToNameTheirConsumers() {
        consumer(new Bill(), "on", KafkaListener.class);
        assertThatThrownBy(() -> consumer(new Bill(), "on", KafkaListener.class))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("have the same name, ")
                .hasMessageContaining("@Idempotent(consumer = …)");
    }

    @Test
    void beansThatNameTheirConsumerMayShareIt() {
        assertThat(consumer(new Bill(), "named", KafkaListener.class))
                .isSameAs(consumer(new Bill(), "named", KafkaListener.class))
                .isSameAs(consumer(new Bill(), "namedTwice", KafkaListener.class));
    }

    @Test
    void aMethodThatIsSeveralListenersHasToNameItsConsumer() {
        assertThatThrownBy(() -> consumer(new Bill(), "twice", KafkaListener.class))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("has @KafkaListener 2 times");
        assertThatThrownBy(() -> consumer(new Bill(), "twiceInRabbit", RabbitListener.class))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("has @RabbitListener 2 times");
    }

    @Test
    void aMethodThatIsAListenerOfTwoBrokersHasToNameItsConsumer() {
        Bill bill = new Bill();
        consumer(bill, "ofBoth", KafkaListener.class);
        assertThatThrownBy(() -> consumer(bill, "ofBoth", RabbitListener.class))
                .isInstanceOf(OutboxStartupException.class)
                .hasMessageContaining("have the same name");
    }
}
