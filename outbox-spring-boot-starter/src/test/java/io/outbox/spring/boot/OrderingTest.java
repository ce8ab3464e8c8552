package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/** Order by key, as a setting. */
class OrderingTest {

    @TempDir
    private Path directory;

    private ApplicationContextRunner onDisk(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop"),
                        "spring.datasource.username=sa")
                .withPropertyValues(properties);
    }

    @Configuration(proxyBeanMethods = false)
    static class Numbers {

        final List<String> received = new CopyOnWriteArrayList<>();

        @Bean
        @OutboxListener(eventType = "Numbered")
        EventListener numberedListener() {
            return event -> {
                received.add(event.payloadJson());
                return DispatchResult.done();
            };
        }
    }

    @Test
    void eventsOfAKeyArriveInTheOrderOfTheirWrites() {
        onDisk("outbox.ordering=key", "outbox.tables.auto-create=true", "outbox.mode=multi-node")
                .withUserConfiguration(Numbers.class)
                .run(context -> {
                    List<String> numbers =
                            IntStream.range(0, 50).mapToObj(String::valueOf).toList();
                    TransactionTemplate transactions = context.getBean(TransactionTemplate.class);

                    numbers.forEach(number -> transactions.executeWithoutResult(status -> context.getBean(Outbox.class)
                            .writer()
                            .write(EventEnvelope.builder("Numbered")
                                    .aggregateId("one")
                                    .payloadJson(number)
                                    .build())));

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Numbers.class).received).isEqualTo(numbers));
                    assertThat(context.getBean(Outbox.class).blockedKeys()).isPresent();
                });
    }

    @Test
    void theTableStaysAsItIsWithoutIt() {
        onDisk("outbox.tables.auto-create=true").run(context -> {
            assertThat(OutboxSchema.of(context.getBean(DataSource.class)).isKeyed())
                    .isFalse();
            assertThat(context.getBean(Outbox.class).blockedKeys()).isEmpty();
        });
    }

    @Test
    void aTableThatCannotKeepTheOrderIsNamedAtTheStart() {
        onDisk("outbox.tables.auto-create=true")
                .run(context -> assertThat(context).hasNotFailed());

        onDisk("outbox.ordering=key", "outbox.tables.auto-create=false")
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("schema/h2-keyed.sql"));
    }
}
