package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.DeliveryFixture.Mode;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The row writes that an event costs, as PostgreSQL counts them. */
class RowWritesTest {

    private static final int EVENTS = 300;

    @ParameterizedTest
    @EnumSource(names = {"SINGLE_NODE", "MULTI_NODE"})
    void anEventOnTheHotPathIsWrittenTwice(Mode mode) {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL)) {
            Outbox outbox = fixture.open(mode);
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = 0; i < EVENTS / 3; i++) {
                List<EventEnvelope> three = DeliveryFixture.events(3);
                fixture.inTransaction(outbox.writer(), writer -> writer.writeAll(three));
                events.addAll(three);
            }
            fixture.assertDelivered(DeliveryFixture.ids(events));

            assertWrites(fixture, EVENTS, EVENTS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEventOfABacklogIsWrittenTwiceOrWithItsClaimThrice(Mode mode) {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.POSTGRESQL)) {
            List<EventEnvelope> events = DeliveryFixture.events(EVENTS);
            fixture.store(events);
            fixture.open(mode);
            fixture.assertDelivered(DeliveryFixture.ids(events));

            assertWrites(fixture, EVENTS, mode == Mode.MULTI_NODE ? 2 * EVENTS : EVENTS);
        }
    }

    /** Sessions report their counts in their own time, and at the latest when they end. */
    private static void assertWrites(DeliveryFixture fixture, int inserts, int updates) {
        fixture.pool().getHikariPoolMXBean().softEvictConnections();
        String writes = "SELECT %s FROM pg_stat_user_tables WHERE relname = 'outbox_event'";
        await().untilAsserted(() -> {
            assertThat(OutboxRows.number(fixture.pool(), writes.formatted("n_tup_ins")))
                    .isEqualTo(inserts);
            assertThat(OutboxRows.number(fixture.pool(), writes.formatted("n_tup_upd")))
                    .isEqualTo(updates);
        });
        assertThat(OutboxRows.number(fixture.pool(), writes.formatted("n_tup_del")))
                .isZero();
    }
}
