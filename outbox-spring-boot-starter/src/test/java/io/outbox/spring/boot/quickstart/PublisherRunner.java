package io.outbox.spring.boot.quickstart;

import io.outbox.spring.boot.EnableOutbox;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** The application of the quick start, for both brokers. */
@SpringBootApplication
@EnableJpaRepositories
@EnableTransactionManagement
@EnableKafka
@EnableRabbit
@EnableOutbox
public class PublisherRunner {

    public static void main(String... args) {
        SpringApplication.run(PublisherRunner.class, args);
    }
}
