package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import io.outbox.EventEnvelope;
import io.outbox.OutboxPublisher;
import io.outbox.spi.JsonCodec;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Two applications in one JVM, as in every test suite, with mappers that do not understand each other. */
class TwoContextsTest {

    record Order(String orderId) {}

    static class Application {
        final Queue<Object> orders = new ConcurrentLinkedQueue<>();

        @OutboxListener(eventType = "OrderPlaced")
        void on(Order order) {
            orders.add(order);
        }

        @OutboxListener(eventType = "OrderPaid")
        void paid(EventEnvelope event) {
            orders.add(event.payload(Order.class));
        }
    }

    static class SnakeCase extends Application {
        @Bean
        JsonCodec snakeCase() {
            return new Jackson2JsonCodec(
                    new ObjectMapper().setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE));
        }
    }

    static class CamelCase extends Application {
        @Bean
        JsonCodec camelCase() {
            return new Jackson2JsonCodec(new ObjectMapper());
        }
    }

    @Test
    void readPayloadsEachWithItsOwnCodec() {
        TestApplication.runner(SnakeCase.class)
                .run(one -> TestApplication.runner(CamelCase.class).run(other -> {
                    assertDelivers(one);
                    assertDelivers(other);
                    assertDelivers(one);
                }));
    }

    private static void assertDelivers(ApplicationContext context) {
        Queue<Object> orders = context.getBean(Application.class).orders;
        orders.clear();
        Deliveries.inTransaction(context, () -> {
            context.getBean(OutboxPublisher.class).publish("OrderPlaced", new Order("1"));
            context.getBean(OutboxPublisher.class).publish("OrderPaid", new Order("2"));
        });
        Awaitility.await()
                .untilAsserted(() -> assertThat(orders).containsExactlyInAnyOrder(new Order("1"), new Order("2")));
    }
}
