package io.outbox.jdbc.fault;

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
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks and time zones that differ. */
class ClockTest {

    /** As local time of Berlin this does not exist: clocks jump from 2:00 to 3:00. */
    private static final Instant IN_THE_GAP = Instant.parse("2025-03-30T02:30:00.123456Z");

    @ParameterizedTest
    @EnumSource
    void aRetryThatIsDueBeforeTheEventWasCreatedIsDelivered(TestDatabase database) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            AtomicInteger attempts = new AtomicInteger();
            fixture.listeners().register("Skewed", event -> {
                if (attempts.incrementAndGet() == 1) {
                    throw new IllegalStateException("once");
                }
                return DispatchResult.done();
            });
            Outbox outbox = fixture.open(Mode.SINGLE_NODE);
            EventEnvelope fromAFastClock = EventEnvelope.builder("Skewed")
                    .occurredAt(Instant.now().plusMillis(1500))
                    .payloadJson("{}")
                    .build();

            fixture.inTransaction(outbox.writer(), writer -> writer.write(fromAFastClock));

            await().until(() -> fixture.number("status = 1") == 1);
            assertThat(OutboxRows.all(fixture.pool())
                            .get(fromAFastClock.eventId())
                            .attempts())
                    .isEqualTo(1);
            assertThat(attempts).hasValue(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void timesAreUtcInTheTableWhateverTheZonesOfTheNodes(TestDatabase database) {
        TimeZone zone = TimeZone.getDefault();
        String url = database.newUrl();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
            EventEnvelope event = EventEnvelope.builder(DeliveryFixture.TYPE)
                    .occurredAt(IN_THE_GAP)
                    .availableAt(IN_THE_GAP.plusSeconds(7200))
                    .payloadJson("{}")
                    .build();
            try (DeliveryFixture writing = DeliveryFixture.on(url, "outbox_event")) {
                writing.jdbc().createSchema();
                writing.store(List.of(event));
                assertThat(OutboxRows.texts(writing.pool(), "SELECT CAST(created_at AS CHAR(26)) FROM outbox_event"))
                        .containsExactly("2025-03-30 02:30:00.123456");
            }
            TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
            try (DeliveryFixture delivering = DeliveryFixture.on(url, "outbox_event")) {
                delivering.open(Mode.MULTI_NODE);

                delivering.assertDelivered(List.of(event.eventId()));
                assertThat(delivering.delivered().get(0).occurredAt()).isEqualTo(IN_THE_GAP);
                assertThat(delivering.delivered().get(0).availableAt()).isEqualTo(event.availableAt());
            }
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    /** Zones east and west of the server's: a delay must neither vanish nor grow. */
    @ParameterizedTest
    @ValueSource(strings = {"Pacific/Kiritimati", "Pacific/Pago_Pago"})
    void delaysAndLeasesAreRightInAnyZone(String zoneId) {
        TimeZone zone = TimeZone.getDefault();
        try {
            TimeZone.setDefault(TimeZone.getTimeZone(zoneId));
            for (TestDatabase database : TestDatabase.values()) {
                assertDelayIsKept(database);
            }
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    private static void assertDelayIsKept(TestDatabase database) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            Outbox outbox = fixture.open(Mode.MULTI_NODE);
            Duration delay = Duration.ofMillis(400);
            EventEnvelope delayed = EventEnvelope.builder(DeliveryFixture.TYPE)
                    .deliverAfter(delay)
                    .payloadJson("{}")
                    .build();

            fixture.inTransaction(outbox.writer(), writer -> writer.write(delayed));

            fixture.assertDelivered(List.of(delayed.eventId()));
            assertThat(Duration.between(delayed.occurredAt(), Instant.now()))
                    .as(database.name())
                    .isBetween(delay, delay.plusSeconds(20));
        }
    }
}
