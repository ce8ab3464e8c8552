package io.outbox.spring.boot.processes;

import io.outbox.OutboxPublisher;
import io.outbox.testservers.support.ChildJvm;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** The service that publishes: it places orders, each in a transaction with its event, until there are enough. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        excludeName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
        })
public class Shop {

    static final String TABLE = "CREATE TABLE orders (id BIGSERIAL PRIMARY KEY)";

    public static void main(String[] args) {
        ChildJvm.endWithParent();
        new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.keep-alive=true", // for what is not delivered when the last order is placed
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.sender.emergency-timeout=4s",
                        "outbox.publisher.events.order-placed.topic=${topic}",
                        "outbox.publisher.defaults.fixed-delay=200ms",
                        "outbox.publisher.defaults.max-retries=1000",
                        "outbox.publisher.defaults.backoff.enabled=false",
                        "outbox.publisher.stuck-recovery.max-batch-processing-time=8s",
                        "outbox.publisher.stuck-recovery.initial-delay=0s",
                        "outbox.publisher.stuck-recovery.fixed-delay=500ms")
                .run(args);
    }

    @Bean
    Orders orders(JdbcTemplate jdbc, OutboxPublisher publisher) {
        return new Orders(jdbc, publisher);
    }

    /** Where orders are placed. */
    public static class Orders {

        private final JdbcTemplate jdbc;
        private final OutboxPublisher publisher;

        Orders(JdbcTemplate jdbc, OutboxPublisher publisher) {
            this.jdbc = jdbc;
            this.publisher = publisher;
        }

        @Transactional
        public long place() {
            long id = jdbc.queryForObject("INSERT INTO orders DEFAULT VALUES RETURNING id", Long.class);
            publisher.publish("order-placed", id);
            return id;
        }

        long count() {
            return jdbc.queryForObject("SELECT COUNT(*) FROM orders", Long.class);
        }
    }

    @Bean
    CommandLineRunner business(Orders orders, Environment environment) {
        long wanted = environment.getRequiredProperty("orders", Long.class);
        return args -> {
            Thread placing = new Thread(() -> {
                for (long missing = wanted - orders.count(); missing > 0; missing--) {
                    orders.place();
                }
            });
            placing.start();
        };
    }
}
