package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.testservers.support.LogLines;
import java.nio.file.Path;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The table and its index, as the publisher's settings want them. */
class LaneIndexTest {

    @TempDir
    private Path directory;

    private ApplicationContextRunner onDisk(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop"),
                        "spring.datasource.username=sa")
                .withPropertyValues(properties);
    }

    private static final String[] PUBLISHER = {
        "spring.kafka.bootstrap-servers=127.0.0.1:1",
        "outbox.publisher.sender.type=kafka",
        "outbox.publisher.events.placed.topic=orders"
    };

    private static boolean hasLaneIndex(DataSource dataSource) {
        return OutboxSchema.of(dataSource).hasLaneIndex();
    }

    @Test
    void areCreatedByDefault() {
        onDisk(PUBLISHER).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(hasLaneIndex(context.getBean(DataSource.class))).isTrue();
        });
    }

    @Test
    void areNotCreatedIfNotWanted() {
        onDisk(PUBLISHER)
                .withPropertyValues("outbox.tables.auto-create=false")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("The outbox table outbox_event cannot be used: it does not exist"));
    }

    @Test
    void areMissedAloudIfNotCreated() {
        onDisk("outbox.tables.auto-create=true")
                .run(context -> assertThat(hasLaneIndex(context.getBean(DataSource.class)))
                        .isFalse());
        try (LogLines log = new LogLines()) {
            onDisk(PUBLISHER)
                    .withPropertyValues("outbox.tables.auto-create=false")
                    .run(context -> await().untilAsserted(() -> assertThat(log.at(Level.WARNING))
                            .singleElement(as(STRING))
                            .contains("no index by event type", "CREATE INDEX")));
        }
    }
}
