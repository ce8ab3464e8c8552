package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.quickstart.ExampleEntity;
import io.outbox.spring.boot.quickstart.ExampleRepository;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** In which database and in whose transactions the consumer of an application works. */
class ConsumerDatabasesTest {

    private static final String[] CONSUMER_ONLY = {
        "outbox.consumer.enabled=true", "outbox.publisher.enabled=false", "outbox.consumer.name=billing"
    };

    private static Map<String, Object> message() {
        return Map.of("outbox_event_id", UUID.randomUUID());
    }

    @Test
    void marksEventsInTheTransactionsOfJpa() {
        new ApplicationContextRunner()
                .withUserConfiguration(JpaApplication.class)
                .withPropertyValues(CONSUMER_ONLY)
                .withPropertyValues("spring.jpa.hibernate.ddl-auto=create-drop")
                .run(context -> {
                    assertThat(context).hasSingleBean(JpaTransactionManager.class);
                    OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
                    ExampleRepository examples = context.getBean(ExampleRepository.class);
                    Map<String, Object> message = message();
                    assertThatThrownBy(() -> consumer.consume(message, () -> {
                                examples.saveAndFlush(new ExampleEntity("1"));
                                throw new IllegalStateException("after the effect");
                            }))
                            .hasMessage("after the effect");
                    assertThat(examples.count()).isZero();
                    consumer.consume(message, () -> examples.save(new ExampleEntity("1")));
                    consumer.consume(message, () -> examples.save(new ExampleEntity("1")));
                    assertThat(examples.count()).isEqualTo(1);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @AutoConfigurationPackage(basePackageClasses = ExampleEntity.class)
    @EnableJpaRepositories(basePackageClasses = ExampleRepository.class)
    static class JpaApplication {}

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        DataSource orders() {
            return pool();
        }

        @Bean
        @OutboxDataSource
        DataSource billing() {
            return pool();
        }

        private static DataSource pool() {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
            return pool;
        }

        @Bean
        @Primary
        PlatformTransactionManager orderTransactions(@Qualifier("orders") DataSource orders) {
            return new DataSourceTransactionManager(orders);
        }

        @Bean
        PlatformTransactionManager billTransactions(@Qualifier("billing") DataSource billing) {
            return new DataSourceTransactionManager(billing);
        }
    }

    @Test
    void isInTheMarkedDataSourceAndUsesItsTransactionManager() {
        TestApplication.runner(TwoDataSources.class)
                .withPropertyValues(CONSUMER_ONLY)
                .run(context -> {
                    context.getBean(OutboxIdempotentConsumer.class).consume(message(), () -> {});
                    JdbcTemplate billing = new JdbcTemplate(context.getBean("billing", DataSource.class));
                    assertThat(billing.queryForObject("SELECT COUNT(*) FROM outbox_consumed_event", Integer.class))
                            .isEqualTo(1);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherDataSource {
        @Bean
        DataSource archive() {
            return TwoDataSources.pool();
        }
    }

    @Test
    void doesNotGuessAmongSeveralDataSources() {
        PlainApplication.runner(AnotherDataSource.class)
                .withConfiguration(ConsumerApplication.AUTO_CONFIGURATION)
                .withPropertyValues(CONSUMER_ONLY)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("there are several DataSources")
                        .hasStackTraceContaining("@OutboxDataSource"));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnInbox {
        @Bean
        JdbcInbox inbox(@Qualifier("archive") DataSource archive) {
            return JdbcInbox.of(archive).createSchema();
        }
    }

    @Test
    void takesTheInboxThatTheApplicationHasMade() {
        PlainApplication.runner(AnotherDataSource.class, OwnInbox.class)
                .withConfiguration(ConsumerApplication.AUTO_CONFIGURATION)
                .withPropertyValues(CONSUMER_ONLY)
                .run(context -> {
                    context.getBean(OutboxIdempotentConsumer.class).consume(message(), () -> {});
                    assertThat(new JdbcTemplate(context.getBean("archive", DataSource.class))
                                    .queryForObject("SELECT COUNT(*) FROM outbox_consumed_event", Integer.class))
                            .isEqualTo(1);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class AnotherTransactionManager {
        @Bean
        PlatformTransactionManager other(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    @Test
    void doesNotGuessAmongTransactionManagersOfItsDataSource() {
        PlainApplication.runner(AnotherTransactionManager.class)
                .withConfiguration(ConsumerApplication.AUTO_CONFIGURATION)
                .withPropertyValues(CONSUMER_ONLY)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("several transaction managers")
                        .hasStackTraceContaining("@Primary"));
    }

    private enum Server {
        MYSQL {
            @Override
            String newUrl() {
                return MySqlServer.shared().newDatabase();
            }
        },
        POSTGRESQL {
            @Override
            String newUrl() {
                return PostgresServer.shared().newDatabase();
            }
        };

        abstract String newUrl();
    }

    @ParameterizedTest
    @EnumSource
    void hasOneEffectOfAMessageThatComesManyTimesAtOnce(Server server) {
        TestApplication.runner()
                .withPropertyValues(CONSUMER_ONLY)
                .withPropertyValues("spring.datasource.url=" + server.newUrl())
                .run(context -> {
                    JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
                    jdbc.execute("CREATE TABLE bill (item VARCHAR(100) NOT NULL)");
                    OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
                    List<Map<String, Object>> messages = List.of(message(), message(), message());
                    ExecutorService threads = Executors.newFixedThreadPool(4);
                    try {
                        List<Future<?>> deliveries = new ArrayList<>();
                        for (int i = 0; i < 12; i++) {
                            boolean batch = i % 2 == 0;
                            deliveries.add(threads.submit(() -> {
                                if (batch) {
                                    consumer.consume(messages, fresh -> fresh.forEach(each -> bill(jdbc)));
                                } else {
                                    messages.forEach(each -> consumer.consume(each, () -> bill(jdbc)));
                                }
                            }));
                        }
                        for (Future<?> delivery : deliveries) {
                            delivery.get();
                        }
                    } finally {
                        threads.shutdownNow();
                    }
                    assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM bill", Integer.class))
                            .isEqualTo(messages.size());
                });
    }

    private static void bill(JdbcTemplate jdbc) {
        jdbc.update("INSERT INTO bill (item) VALUES ('book')");
    }

    @ParameterizedTest
    @EnumSource
    void findsTheTableOfAMigration(Server server) {
        ApplicationContextRunner application = TestApplication.runner()
                .withPropertyValues(CONSUMER_ONLY)
                .withPropertyValues("outbox.schema.initialize=never");
        application
                .withPropertyValues(
                        "spring.datasource.url=" + server.newUrl(),
                        "spring.flyway.enabled=true",
                        "spring.flyway.locations=classpath:schema/flyway-inbox/{vendor}")
                .run(context -> context.getBean(OutboxIdempotentConsumer.class).consumeById("1", () -> {}));
        application
                .withPropertyValues(
                        "spring.datasource.url=" + server.newUrl(),
                        "spring.liquibase.enabled=true",
                        "spring.liquibase.change-log=classpath:schema/liquibase/outbox-inbox.xml")
                .run(context -> context.getBean(OutboxIdempotentConsumer.class).consumeById("1", () -> {}));
    }

    /** As one of JTA: its transactions have connections that nobody can ask it for. */
    static class TransactionsElsewhere extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return this;
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void transactionsWithoutAConnectionOfTheDataSourceAreRefusedAtTheStart() {
        TestApplication.runner(TransactionsElsewhere.class)
                .withPropertyValues(CONSUMER_ONLY)
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("The idempotent consumer cannot use the transactions of")
                        .hasStackTraceContaining("TransactionsElsewhere"));
    }
}
