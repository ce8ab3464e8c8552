package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.OutboxBackendException;
import io.outbox.testservers.support.CapturedLog;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Payloads and headers are nobody's business: they are in no log and in no exception, its causes included. */
class ConfidentialityTest {

    private static final String SECRET = "s3cr3t";

    @ParameterizedTest
    @EnumSource
    void aFailedInsertRevealsNoPayload(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                DeliveryFixture fixture = DeliveryFixture.on(database)) {
            Outbox outbox = fixture.open(Mode.SINGLE_NODE);
            EventEnvelope stored = secretEvent("stored");
            fixture.inTransaction(outbox.writer(), writer -> writer.write(stored));

            Throwable alone = catchThrowable(
                    () -> fixture.inTransaction(outbox.writer(), writer -> writer.write(secretEvent("stored"))));
            Throwable inBatch = catchThrowable(() -> fixture.inTransaction(
                    outbox.writer(), writer -> writer.writeAll(List.of(secretEvent("other"), secretEvent("stored")))));

            assertRevealsNothing(alone);
            assertRevealsNothing(inBatch);
            assertThat(log.text()).doesNotContain(SECRET);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anInsertThatATableRefusesRevealsNoPayload(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                DeliveryFixture fixture = DeliveryFixture.on(database)) {
            OutboxRows.execute(
                    fixture.pool(),
                    "ALTER TABLE outbox_event ADD CONSTRAINT short CHECK (event_type <> '" + DeliveryFixture.TYPE
                            + "')");
            Outbox outbox = fixture.open(Mode.MULTI_NODE);

            Throwable alone = catchThrowable(
                    () -> fixture.inTransaction(outbox.writer(), writer -> writer.write(secretEvent("one"))));
            Throwable inBatch = catchThrowable(() -> fixture.inTransaction(
                    outbox.writer(), writer -> writer.writeAll(List.of(secretEvent("two"), secretEvent("three")))));

            assertRevealsNothing(alone);
            assertRevealsNothing(inBatch);
            assertThat(log.text()).doesNotContain(SECRET);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failingDeliveriesAndOutcomesRevealNoPayload(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                DeliveryFixture fixture = DeliveryFixture.on(database)) {
            fixture.listeners().register("Failing", event -> {
                throw new IllegalStateException("on purpose");
            });
            Outbox outbox = fixture.open(Outbox.singleNode().maxAttempts(3).retryPolicy(attempts -> 5));
            fixture.inTransaction(outbox.writer(), writer -> {
                writer.write(event("Failing", "failing"));
                writer.write(event("Unroutable", "unroutable"));
            });
            await().until(() -> fixture.number("status = 3") == 2);

            assertThat(log.text()).contains("failing").doesNotContain(SECRET);
            assertThat(OutboxRows.all(fixture.pool()).values())
                    .noneMatch(row -> row.lastError().contains(SECRET));
        }
    }

    private static EventEnvelope secretEvent(String id) {
        return event(DeliveryFixture.TYPE, id);
    }

    private static EventEnvelope event(String type, String id) {
        return EventEnvelope.builder(type)
                .eventId(id)
                .headers(Map.of("token", SECRET + "-header"))
                .payloadJson("{\"password\":\"" + SECRET + "\"}")
                .build();
    }

    private static void assertRevealsNothing(Throwable e) {
        assertThat(e).isInstanceOf(OutboxBackendException.class);
        assertThat(CapturedLog.stackTrace(e)).doesNotContain(SECRET);
    }
}
