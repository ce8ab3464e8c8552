package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.Upcaster;
import io.outbox.model.FailureText;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/** Payloads whose form has changed: versions by class, upcasters as beans. */
class PayloadVersionsTest {

    /** Once this had one field, {@code name}. */
    @Outboxed(type = "Joined", version = 2)
    record Joined(String first, String last) {}

    static class Upcasters {
        @Bean
        Upcaster joinedWithTwoNames() {
            return Upcaster.of("Joined", 1, json -> {
                String[] names = json.replaceAll("\\{\"name\":\"(.*)\"}", "$1").split(" ");
                return "{\"first\":\"" + names[0] + "\",\"last\":\"" + names[1] + "\"}";
            });
        }
    }

    static class Members {
        final List<Object> seen = new CopyOnWriteArrayList<>();

        @Autowired
        OutboxPublisher publisher;

        @OutboxListener
        void on(Joined joined) {
            seen.add(joined);
        }

        @OutboxListener(eventType = "*", subscription = "audit")
        void audit(String json, EventEnvelope event) {
            seen.add(event.version() + " " + json);
        }
    }

    private static ApplicationContextRunner runner(Class<?>... beans) {
        return PlainApplication.runner(beans);
    }

    private static void write(ApplicationContext context, EventEnvelope event) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxWriter.class).write(event));
    }

    private static List<String> headers(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT headers FROM outbox_event ORDER BY event_id", String.class);
    }

    @Test
    void oldAndNewPayloadsReachTheListenersOfTheClass() {
        runner(Members.class, Upcasters.class).run(context -> {
            write(
                    context,
                    EventEnvelope.builder("Joined")
                            .payloadJson("{\"name\":\"Ada Lovelace\"}")
                            .version(1)
                            .build());
            Deliveries.inTransaction(
                    context, () -> context.getBean(OutboxPublisher.class).publish(new Joined("Grace", "Hopper")));

            List<Object> seen = context.getBean(Members.class).seen;
            await().untilAsserted(() -> assertThat(seen)
                    .containsExactlyInAnyOrder(
                            new Joined("Ada", "Lovelace"),
                            "2 {\"first\":\"Ada\",\"last\":\"Lovelace\"}",
                            new Joined("Grace", "Hopper"),
                            "2 {\"first\":\"Grace\",\"last\":\"Hopper\"}"));
        });
    }

    @Test
    void everyWayOfPublishingStoresTheVersionOfTheClass() {
        runner().withPropertyValues("outbox.mode=writer-only", "outbox.versions.Renamed=3")
                .run(context -> Deliveries.inTransaction(context, () -> {
                    OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                    Joined joined = new Joined("Ada", "Lovelace");
                    publisher.publish(joined);
                    publisher.publish("Joined", joined);
                    publisher.publish("Joined", List.of(joined));
                    publisher.event(Joined.class).publish(joined);
                    context.publishEvent(joined);
                    context.getBean(Outbox.class).publisher().publish(joined);
                    assertThat(headers(context)).hasSize(6).containsOnly("{\"__version\":\"2\"}");

                    publisher.publish("Renamed", "{}");
                    publisher.publish("Other", "{}");
                    assertThat(headers(context))
                            .hasSize(8)
                            .contains("{\"__version\":\"3\"}")
                            .containsNull();
                }));
    }

    @Test
    void aVersionOfTheFutureIsNotReadAsTodaysAndSaysSo() {
        runner(Members.class, Upcasters.class).run(context -> {
            write(
                    context,
                    EventEnvelope.builder("Joined")
                            .payloadJson("{\"first\":\"Ada\",\"last\":\"Lovelace\"}")
                            .version(3)
                            .build());
            Outbox outbox = context.getBean(Outbox.class);
            await().until(() -> outbox.deadEvents().count(null) == 2);

            assertThat(context.getBean(Members.class).seen).isEmpty();
            String error = new JdbcTemplate(context.getBean(DataSource.class))
                    .queryForList("SELECT last_error FROM outbox_event", String.class)
                    .get(0);
            assertThat(FailureText.of(error).summary()).contains("version 3", "up to 2", "replay");
        });
    }

    static class OfAnotherVersion {
        @Outboxed(type = "Joined", version = 4)
        record View(String first) {}

        @OutboxListener(subscription = "view")
        void on(View view) {}
    }

    static class TwoFromTheSame {
        @Bean
        Upcaster another() {
            return Upcaster.of("Joined", 1, json -> json);
        }
    }

    @Test
    void versionsThatDoNotFitTogetherAreRefused() {
        assertThat(FailedStart.of("", Members.class, OfAnotherVersion.class).getDescription())
                .contains("Event type 'Joined' has version", "one version at a time");
        assertThat(FailedStart.of("--outbox.versions.Joined=3", Members.class).getDescription())
                .contains("Event type 'Joined' has version 3 already, and 2 as well");
        assertThat(FailedStart.of("--outbox.versions.Joined=0").getDescription())
                .contains("outbox.versions", "must be at least 1");
        runner(Members.class, Upcasters.class, TwoFromTheSame.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("two upcasters from version 1 of event type 'Joined'"));
    }
}
