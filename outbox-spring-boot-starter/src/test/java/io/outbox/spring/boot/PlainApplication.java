package io.outbox.spring.boot;

import io.outbox.spring.boot.brokers.OutboxBrokersAutoConfiguration;
import io.outbox.spring.boot.json.OutboxJsonAutoConfiguration;
import io.outbox.spring.boot.metrics.OutboxGaugesAutoConfiguration;
import io.outbox.spring.boot.publishing.OutboxPublisherAutoConfiguration;
import java.util.Map;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An application with the outbox and little else, quick to start: an embedded database, and a Kafka that is not there.
 */
@Configuration(proxyBeanMethods = false)
public class PlainApplication {

    public static ApplicationContextRunner runner(Class<?>... configurations) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        OutboxAutoConfiguration.class,
                        OutboxBrokersAutoConfiguration.class,
                        OutboxGaugesAutoConfiguration.class,
                        OutboxJsonAutoConfiguration.class,
                        OutboxPublisherAutoConfiguration.class))
                .withUserConfiguration(configurations)
                .withUserConfiguration(PlainApplication.class);
    }

    @Bean
    DataSource dataSource() {
        return new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }

    @Bean
    KafkaTemplate<String, String> kafkaTemplate() {
        return new KafkaTemplate<>(
                new DefaultKafkaProducerFactory<>(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1")));
    }
}
