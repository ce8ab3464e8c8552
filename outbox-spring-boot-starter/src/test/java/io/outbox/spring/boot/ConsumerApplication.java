package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.boot.consumer.OutboxConsumerAutoConfiguration;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A {@link PlainApplication} with an idempotent consumer, and a table of bills as the effect of its events. */
@Configuration(proxyBeanMethods = false)
public class ConsumerApplication {

    public static final AutoConfigurations AUTO_CONFIGURATION =
            AutoConfigurations.of(OutboxConsumerAutoConfiguration.class);

    public static ApplicationContextRunner runner(Class<?>... configurations) {
        return PlainApplication.runner(configurations)
                .withConfiguration(AUTO_CONFIGURATION)
                .withUserConfiguration(ConsumerApplication.class)
                .withPropertyValues("outbox.consumer.enabled=true", "spring.application.name=billing");
    }

    /** Has an effect, in the transaction of the event. */
    public static void bill(ApplicationContext context) {
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isTrue();
        jdbc(context).update("INSERT INTO bill (item) VALUES ('book')");
    }

    public static int count(ApplicationContext context, String table) {
        return jdbc(context).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
    }

    public static JdbcTemplate jdbc(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class);
    }

    @Bean
    JdbcTemplate jdbcTemplate(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE bill (id INT AUTO_INCREMENT PRIMARY KEY, item VARCHAR(100) NOT NULL)");
        return jdbc;
    }
}
