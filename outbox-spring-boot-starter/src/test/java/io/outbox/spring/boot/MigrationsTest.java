package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application that has its tables created by Flyway or Liquibase, the outbox table among them. */
class MigrationsTest {

    private enum Tool {
        FLYWAY(
                "spring.flyway.enabled=true",
                "spring.flyway.locations=classpath:db/migration,classpath:schema/flyway/{vendor},"
                        + "classpath:schema/flyway-lanes/{vendor}"),
        LIQUIBASE(
                "spring.liquibase.enabled=true",
                "spring.liquibase.change-log=classpath:db/changelog/db.changelog-master.xml");

        private final String[] properties;

        Tool(String... properties) {
            this.properties = properties;
        }
    }

    private enum Server {
        H2 {
            @Override
            String newUrl() {
                return "jdbc:h2:mem:" + UUID.randomUUID() + ";USER=sa";
            }
        },
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

    private static ApplicationContextRunner application(Server server, Tool tool, Class<?>... configurations) {
        return TestApplication.runner(configurations)
                .withPropertyValues("outbox.schema.initialize=never", "spring.datasource.url=" + server.newUrl())
                .withPropertyValues(tool.properties);
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Tool.values())
                .flatMap(tool -> Stream.of(Server.values()).map(server -> Arguments.of(server, tool)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void theOutboxFindsItsTableAndDelivers(Server server, Tool tool) {
        application(server, tool, Deliveries.class).run(context -> {
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
            assertThat(OutboxSchema.of(context.getBean(DataSource.class)).hasLaneIndex())
                    .isTrue();
            assertThat(context.getBean(JdbcTemplate.class).queryForList("SELECT order_id FROM orders"))
                    .isEmpty();
        });
    }

    @ParameterizedTest
    @EnumSource
    void withoutTheMigrationTheApplicationDoesNotStart(Server server) {
        TestApplication.runner(Deliveries.class)
                .withPropertyValues("outbox.schema.initialize=never", "spring.datasource.url=" + server.newUrl())
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("cannot be used: it does not exist")
                        .hasStackTraceContaining("for Flyway in classpath:schema/flyway/"
                                + server.name().toLowerCase(Locale.ROOT)));
    }

    /** Beans of the application come first, so nothing but the dependency makes these outboxes wait. */
    @Configuration(proxyBeanMethods = false)
    static class OutboxOfTheFactory {
        @Bean
        Outbox shopOutbox(OutboxFactory outboxes, DataSource dataSource) {
            return outboxes.create("shop", dataSource);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anOutboxOfTheFactoryWaitsForTheMigrations(Tool tool) {
        application(Server.H2, tool, OutboxOfTheFactory.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aTableThatAMigrationGotWrongStopsTheApplication() {
        String url = Server.H2.newUrl() + ";DB_CLOSE_DELAY=-1";
        application(Server.H2, Tool.FLYWAY, Deliveries.class)
                .withPropertyValues("spring.datasource.url=" + url)
                .run(context -> context.getBean(JdbcTemplate.class)
                        .execute("ALTER TABLE outbox_event ALTER COLUMN payload SET DATA TYPE VARCHAR(100)"));

        application(Server.H2, Tool.FLYWAY, Deliveries.class)
                .withPropertyValues("spring.datasource.url=" + url)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("column payload is character varying(100)")
                        .hasStackTraceContaining("ALTER TABLE outbox_event ALTER COLUMN payload SET DATA TYPE"));
    }
}
