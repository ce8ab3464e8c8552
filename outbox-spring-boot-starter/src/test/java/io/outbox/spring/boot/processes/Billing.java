package io.outbox.spring.boot.processes;

import io.outbox.spring.boot.Idempotent;
import io.outbox.testservers.support.ChildJvm;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The service that consumes: it writes a bill for each event, from Kafka or from RabbitMQ. The table has no key, so
 * that a second effect would show.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        excludeName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
        })
public class Billing {

    static final String READY = "ready";
    static final String COMMITTED = "committed, not acknowledged";
    static final String TABLE = "CREATE TABLE bill (item VARCHAR(100) NOT NULL)";

    private final JdbcTemplate jdbc;
    private final boolean stopsAfterCommit;
    private final int failsOnceIn;

    Billing(
            JdbcTemplate jdbc,
            @Value("${billing.stops-after-commit:false}") boolean stopsAfterCommit,
            @Value("${billing.fails-once-in:0}") int failsOnceIn) {
        this.jdbc = jdbc;
        this.failsOnceIn = failsOnceIn;
        this.stopsAfterCommit = stopsAfterCommit;
    }

    public static void main(String[] args) {
        ChildJvm.endWithParent();
        new SpringApplicationBuilder(Billing.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.application.name=billing",
                        "outbox.publisher.enabled=false",
                        "outbox.consumer.enabled=true",
                        "spring.kafka.consumer.auto-offset-reset=earliest",
                        "spring.kafka.consumer.properties.session.timeout.ms=6000",
                        "spring.kafka.consumer.properties.heartbeat.interval.ms=500")
                .run(args);
    }

    @Bean
    static ApplicationListener<ApplicationReadyEvent> announcement() {
        return event -> System.out.println(READY);
    }

    @Idempotent(consumer = "${consumer:kafka}")
    @KafkaListener(topics = "${topic:none}", autoStartup = "${kafka:false}")
    void fromKafka(ConsumerRecord<String, String> message) {
        bill(message.value());
    }

    @Idempotent(consumer = "${consumer:kafka}")
    @KafkaListener(topics = "${topic:none}", autoStartup = "${kafka.batch:false}", batch = "true")
    void batchFromKafka(List<String> items) {
        items.forEach(this::bill);
    }

    @Idempotent
    @RabbitListener(queues = "${queue:none}", autoStartup = "${rabbit:false}")
    void fromRabbit(Message message) {
        bill(new String(message.getBody()));
    }

    private void bill(String item) {
        jdbc.update("INSERT INTO bill (item) VALUES (?)", item);
        if (failsOnceIn > 0 && ThreadLocalRandom.current().nextInt(failsOnceIn) == 0) {
            throw new IllegalStateException("by chance");
        }
        if (stopsAfterCommit) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    System.out.println(COMMITTED);
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }
            });
        }
    }
}
