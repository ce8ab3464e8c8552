package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class OutboxSchemaTest {

    @TempDir
    private Path directory;

    private ApplicationContextRunner onDisk() {
        return TestApplication.runner(Deliveries.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop"),
                        "spring.datasource.username=sa");
    }

    @Test
    void isCreatedInAnEmbeddedDatabase() {
        TestApplication.runner(Deliveries.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void isNotCreatedInAnotherDatabaseByDefault() {
        onDisk().run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("The outbox table outbox_event cannot be used: it does not exist");
        });
    }

    @Test
    void isCreatedAnywhereIfWanted() {
        onDisk().withPropertyValues("outbox.schema.initialize=always", "outbox.table-name=my_events")
                .run(context -> {
                    write(context, "Placed", "1");
                    awaitPayloads(context, "1");
                });
        onDisk().withPropertyValues("outbox.schema.initialize=never", "outbox.table-name=my_events")
                .run(context -> {
                    write(context, "Placed", "2");
                    awaitPayloads(context, "2");
                });
    }

    @Test
    void isNeverCreatedIfNotWanted() {
        TestApplication.runner(Deliveries.class)
                .withPropertyValues("outbox.schema.initialize=never")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void mayComeFromAScriptOfTheApplication() {
        TestApplication.runner(Deliveries.class)
                .withPropertyValues(
                        "outbox.schema.initialize=never", "spring.sql.init.schema-locations=classpath:schema/h2.sql")
                .run(context -> {
                    write(context, "Placed", "1");
                    awaitPayloads(context, "1");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OutboxOfTheFactory {
        @Bean
        Outbox shopOutbox(OutboxFactory outboxes, DataSource dataSource) {
            return outboxes.create("shop", dataSource);
        }
    }

    @Test
    void mayComeFromAScriptForAnOutboxOfTheFactoryToo() {
        TestApplication.runner(OutboxOfTheFactory.class)
                .withPropertyValues(
                        "outbox.schema.initialize=never", "spring.sql.init.schema-locations=classpath:schema/h2.sql")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
