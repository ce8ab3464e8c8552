package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows that cannot be decoded. */
class DamagedRowTest {

    /** Values for the headers column that no event can be made of. */
    private static final List<String> DAMAGED_HEADERS = List.of(
            "{\"secret\":",
            "secret",
            "[\"secret\"]",
            "{\"name\":{\"secret\":\"nested\"}}",
            "{\"name\":\"secret\"} and more",
            "{\"__payload_encoding\":\"rot13\"}",
            "{\"__payload_encoding\":\"base64\"}");

    static Stream<Arguments> everywhere() {
        return Stream.of(TestDatabase.values())
                .flatMap(database -> Stream.of(Mode.values()).map(mode -> Arguments.of(database, mode)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aRowThatCannotBeDecodedGoesDeadAloneAndTheRestIsDelivered(TestDatabase database, Mode mode) {
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            List<EventEnvelope> events = DeliveryFixture.events(3 * DAMAGED_HEADERS.size());
            fixture.store(events);
            for (int i = 0; i < DAMAGED_HEADERS.size(); i++) {
                damage(fixture, events.get(3 * i + 1).eventId(), DAMAGED_HEADERS.get(i));
            }
            List<String> sound = Stream.iterate(0, i -> i + 1)
                    .limit(events.size())
                    .filter(i -> i % 3 != 1)
                    .map(i -> events.get(i).eventId())
                    .toList();

            fixture.open(mode);

            fixture.assertDelivered(sound);
            await().until(() -> fixture.number("status = 3") == DAMAGED_HEADERS.size());
            Map<String, OutboxRows.Row> dead = OutboxRows.where(fixture.pool(), "status = 3");
            assertThat(dead.values())
                    .allMatch(row -> row.lastError().contains(row.eventId()))
                    .noneMatch(row -> row.lastError().contains("secret"))
                    .allMatch(row -> row.lockedBy() == null);
            assertThat(fixture.number("status = 1")).isEqualTo(sound.size());
        }
    }

    private static void damage(DeliveryFixture fixture, String eventId, String headers) {
        OutboxRows.execute(
                fixture.pool(),
                "UPDATE outbox_event SET headers = '" + headers + "' WHERE event_id = '" + eventId + "'");
    }
}
