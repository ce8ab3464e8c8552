package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The table as the specification spells it out, with JSON columns and a single index. */
class SpecifiedTableTest {

    private static final String[] DDL = {
        """
        CREATE TABLE outbox_event (
          event_id VARCHAR(36) PRIMARY KEY,
          event_type VARCHAR(128) NOT NULL,
          aggregate_type VARCHAR(64),
          aggregate_id VARCHAR(128),
          tenant_id VARCHAR(64),
          payload JSON NOT NULL,
          headers JSON,
          status TINYINT NOT NULL,
          attempts INT NOT NULL DEFAULT 0,
          available_at DATETIME(6) NOT NULL,
          created_at DATETIME(6) NOT NULL,
          done_at DATETIME(6),
          last_error TEXT,
          locked_by VARCHAR(128),
          locked_at DATETIME(6)
        )
        """, "CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)"
    };

    static Stream<Arguments> everywhere() {
        return Stream.concat(
                Stream.of(TestDatabase.values())
                        .flatMap(
                                database -> Stream.of(Mode.values()).map(mode -> Arguments.of(database, mode, "JSON"))),
                Stream.of(Arguments.of(TestDatabase.POSTGRESQL, Mode.MULTI_NODE, "JSONB")));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void itServesEveryMode(TestDatabase database, Mode mode, String json) {
        // H2 knows the type DATETIME only when it plays MySQL.
        String url = database.newUrl() + (database == TestDatabase.H2 ? ";MODE=MySQL" : "");
        try (DeliveryFixture fixture = DeliveryFixture.on(url, "outbox_event")) {
            OutboxRows.execute(fixture.pool(), ddl(database, json));
            fixture.jdbc().validateSchema().createSchema().validateSchema();
            AtomicInteger failures = new AtomicInteger();
            fixture.listeners().register("Failing", event -> {
                failures.incrementAndGet();
                throw new IllegalStateException("on purpose");
            });
            fixture.listeners().register("Hopeless", event -> DispatchResult.dead("on purpose"));
            List<EventEnvelope> backlog = DeliveryFixture.events(60);
            fixture.store(backlog);

            Outbox outbox = fixture.open(mode);
            EventEnvelope rich = EventEnvelope.builder(DeliveryFixture.TYPE)
                    .aggregateType("Order")
                    .aggregateId("4711")
                    .tenantId("tenant")
                    .headers(Map.of("trace", "a \"quoted\" ü"))
                    .payloadJson("{\"text\":\"ü \\\"quoted\\\"\"}")
                    .build();
            EventEnvelope delayed = EventEnvelope.builder(DeliveryFixture.TYPE)
                    .deliverAfter(Duration.ofMillis(200))
                    .payloadJson("{}")
                    .build();
            EventEnvelope binary = EventEnvelope.builder(DeliveryFixture.TYPE)
                    .payloadBytes(new byte[] {0, 1, -1})
                    .build();
            fixture.listeners()
                    .register(
                            "Order",
                            DeliveryFixture.TYPE,
                            fixture.listeners().listenerFor("__GLOBAL__", DeliveryFixture.TYPE));
            fixture.inTransaction(outbox.writer(), writer -> {
                writer.writeAll(List.of(rich, delayed, binary));
                writer.write("Failing", "{}");
                writer.write("Hopeless", "{}");
            });

            List<String> all = new ArrayList<>(DeliveryFixture.ids(backlog));
            all.addAll(List.of(rich.eventId(), delayed.eventId(), binary.eventId()));
            fixture.assertDelivered(all);
            await().until(() -> outbox.deadEvents().count("Hopeless") == 1 && failures.get() > 0);
            assertSame(delivered(fixture, rich), rich);
            assertThat(delivered(fixture, binary).payloadBytes()).isEqualTo(binary.payloadBytes());
            assertThat(fixture.jdbc().backend().purge(Instant.now().plusSeconds(60), 1000))
                    .isGreaterThan(all.size());
        }
    }

    /** PostgreSQL has other names for two of the types. */
    private static String[] ddl(TestDatabase database, String json) {
        return database != TestDatabase.POSTGRESQL
                ? DDL
                : Stream.of(DDL)
                        .map(statement -> statement
                                .replace("TINYINT", "SMALLINT")
                                .replace("DATETIME", "TIMESTAMP")
                                .replace("JSON", json))
                        .toArray(String[]::new);
    }

    private static EventEnvelope delivered(DeliveryFixture fixture, EventEnvelope event) {
        return fixture.delivered().stream()
                .filter(candidate -> candidate.eventId().equals(event.eventId()))
                .findFirst()
                .orElseThrow();
    }

    /** A JSON column may change the white space of a payload, so that is not compared. */
    private static void assertSame(EventEnvelope actual, EventEnvelope expected) {
        assertThat(actual.headers()).isEqualTo(expected.headers());
        assertThat(actual.aggregateId()).isEqualTo(expected.aggregateId());
        assertThat(actual.tenantId()).isEqualTo(expected.tenantId());
        assertThat(actual.occurredAt()).isEqualTo(expected.occurredAt());
        assertThat(actual.payloadJson().replace(": ", ":")).isEqualTo(expected.payloadJson());
    }
}
