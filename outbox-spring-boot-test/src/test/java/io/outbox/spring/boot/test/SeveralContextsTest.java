package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.test.shop.OrderPlaced;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Contexts of one JVM on the same database, as a test suite with cached contexts has them. */
class SeveralContextsTest {

    private static final String DATABASE = "jdbc:h2:mem:several_contexts;DB_CLOSE_DELAY=-1";

    /** Writes numbers and text the other way round. */
    @Configuration(proxyBeanMethods = false)
    static class OtherCodec {

        @Bean
        JsonCodec reversingCodec() {
            return new JsonCodec() {
                @Override
                public String toJson(Object order) {
                    OrderPlaced placed = (OrderPlaced) order;
                    return placed.total() + "/" + placed.orderId();
                }

                @Override
                public <T> T fromJson(String json, Class<T> type) {
                    String[] parts = json.split("/");
                    return type.cast(new OrderPlaced(parts[1], Integer.parseInt(parts[0])));
                }
            };
        }
    }

    private static ConfigurableApplicationContext start(Class<?>... more) {
        return new SpringApplicationBuilder(Shop.class, OutboxTesterAutoConfiguration.class)
                .sources(more)
                .web(WebApplicationType.NONE)
                .properties("outbox.auto-startup=false", "spring.datasource.url=" + DATABASE)
                .properties("outbox.schema.initialize=always")
                .run();
    }

    @Test
    void eachHasItsOwnRecordClockAndCodec() {
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start(OtherCodec.class)) {
            OutboxTester ours = first.getBean(OutboxTester.class);
            OutboxTester others = second.getBean(OutboxTester.class);
            Instant before = others.now();
            first.getBean(Orders.class).place("4711", 3);
            first.getBean(Orders.class).remind("4711", Duration.ofHours(1));
            second.getBean(Orders.class).place("4712", 5);

            ours.advance(Duration.ofHours(1));

            assertThat(ours)
                    .hasWritten("OrderPlaced")
                    .withPayload(new OrderPlaced("4711", 3))
                    .once();
            assertThat(others)
                    .hasWritten("OrderPlaced")
                    .withPayload(new OrderPlaced("4712", 5))
                    .once();
            assertThat(others.now()).isBefore(before.plus(Duration.ofHours(1)));
            assertThat(others.deliverAll()).isEqualTo(1);
            assertThat(ours.deliverAll()).isEqualTo(2);
            assertThat(first.getBean(RecordingMailer.class).sent())
                    .containsExactlyInAnyOrder("Thank you for order 4711", "Remember order 4711");
            assertThat(second.getBean(RecordingMailer.class).sent()).containsExactly("Thank you for order 4712");
        }
    }
}
