package io.outbox.spring.boot.consumerquickstart;

import io.outbox.spring.boot.EnableOutbox;
import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** The consuming application of the quick start, for both brokers. */
@SpringBootApplication
@EnableJpaRepositories
@EnableTransactionManagement
@EnableKafka
@EnableRabbit
@EnableCaching
@EnableOutbox
public class ConsumerRunner {

    public static void main(String[] args) {
        SpringApplication.run(ConsumerRunner.class, args);
    }
}
