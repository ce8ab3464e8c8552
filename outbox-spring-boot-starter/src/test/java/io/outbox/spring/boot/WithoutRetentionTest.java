package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.testservers.support.LogLines;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** A retention of zero: events are deleted when they are done. */
class WithoutRetentionTest {

    private final ApplicationContextRunner runner =
            TestApplication.runner(Deliveries.class, Failing.class).withPropertyValues("outbox.purge.enabled=true");

    static class Failing {

        @Bean
        @OutboxListener(eventType = "Failing")
        EventListener failing() {
            return event -> {
                throw new UnrecoverableException("on purpose");
            };
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.purge.retention=0",
                "outbox.purge.retention=0s,outbox.mode=multi-node",
                "outbox.purge.retention=0d,outbox.mode=ordered",
                "outbox.purge.retention=PT0S,outbox.table-name=my_events",
                "outbox.publisher.clean-up.ttl=0"
            })
    void keepsNothingOfWhatIsDone(String properties) {
        runner.withPropertyValues(properties.split(",")).run(context -> {
            write(context, "Placed", "1");
            write(context, "Placed", "2");
            awaitPayloads(context, "1", "2");
            String table = properties.contains("my_events") ? "my_events" : "outbox_event";
            await().until(() -> count(context, table, "1 = 1") == 0);
        });
    }

    @Test
    void isEnoughToDeleteWhatIsDone() {
        TestApplication.runner(Deliveries.class)
                .withPropertyValues("outbox.purge.retention=0")
                .run(context -> {
                    write(context, "Placed", "1");
                    awaitPayloads(context, "1");
                    await().until(() -> count(context, "outbox_event", "1 = 1") == 0);
                });
    }

    @Test
    void deletesNothingWhereThePurgeIsTurnedOff() {
        try (LogLines log = new LogLines()) {
            TestApplication.runner(Deliveries.class)
                    .withPropertyValues("outbox.purge.retention=0", "outbox.purge.enabled=false")
                    .run(context -> {
                        write(context, "Placed", "1");
                        awaitPayloads(context, "1");
                        await().until(() -> count(context, "outbox_event", "status = 1") == 1);
                        assertThat(log.at(Level.WARNING))
                                .anySatisfy(line -> assertThat(line)
                                        .contains("outbox.purge.retention", "has no effect", "nothing is purged"));
                    });
        }
    }

    @Test
    void keepsDeadEventsWhileThePurgeRuns() {
        runner.withPropertyValues("outbox.purge.retention=0", "outbox.purge.interval=1s")
                .run(context -> {
                    write(context, "Failing", "1");
                    await().until(() -> context.getBean(Outbox.class).status().dead() == 1);
                    context.getBean(JdbcTemplate.class)
                            .update("INSERT INTO outbox_event (event_id, event_type, payload, status, available_at,"
                                    + " created_at, done_at) VALUES ('old', 'Placed', '1', 1, TIMESTAMP '2024-01-01"
                                    + " 00:00:00', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMP '2024-01-01 00:00:00')");
                    await().until(() -> count(context, "outbox_event", "event_id = 'old'") == 0);
                    assertThat(count(context, "outbox_event", "status = 3")).isOne();
                });
    }

    private static int count(BeanFactory context, String table, String condition) {
        return context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT COUNT(*) FROM " + table + " WHERE " + condition, Integer.class);
    }
}
