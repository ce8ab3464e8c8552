package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxSchema;
import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The table and its index, as the publisher's settings want them. */
@ExtendWith(OutputCaptureExtension.class)
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
    void areMissedAloudIfNotCreated(CapturedOutput output) {
        onDisk("outbox.tables.auto-create=true")
                .run(context -> assertThat(hasLaneIndex(context.getBean(DataSource.class)))
                        .isFalse());
        onDisk(PUBLISHER).withPropertyValues("outbox.tables.auto-create=false").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).contains("WARN", "schema/h2-lanes.sql");
        });
    }
}
