package io.outbox.jdbc.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.EventPurger;
import io.outbox.testservers.support.CapturedLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A retention of zero for an outbox that is built from its parts. */
class RetentionOfZeroTest {

    @Test
    void needsNoPurger() {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.H2)) {
            fixture.store(DeliveryFixture.events(3));

            try (Outbox outbox = parts(fixture).purgeRetention(Duration.ZERO).build()) {
                await().until(() -> fixture.number("1 = 1") == 0);
                assertThat(outbox.counts()).isEmpty();
            }

            assertThat(fixture.delivered()).hasSize(3);
        }
    }

    @Test
    void namesAMissingRightToDelete() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "CREATE ROLE outbox_keeper LOGIN",
                    "GRANT SELECT, INSERT, UPDATE ON outbox_event TO outbox_keeper");
            try (DeliveryFixture fixture =
                            DeliveryFixture.on(url.replace("user=outbox&", "user=outbox_keeper&"), "outbox_event");
                    CapturedLog log = CapturedLog.open()) {
                fixture.store(DeliveryFixture.events(3));

                try (Outbox outbox =
                        parts(fixture).purgeRetention(Duration.ZERO).build()) {
                    await().until(() -> log.text().contains("GRANT DELETE ON outbox_event"));
                    assertThat(outbox.counts()).isNotEmpty();

                    OutboxRows.execute(owner, "GRANT DELETE ON outbox_event TO outbox_keeper");
                    await().until(() -> fixture.number("1 = 1") == 0);
                }

                assertThat(fixture.delivered()).hasSize(3);
            } finally {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_keeper", "DROP ROLE outbox_keeper");
            }
        }
    }

    @Test
    void callsAPurgerOfOnesOwnAsEver() {
        AtomicInteger purges = new AtomicInteger();
        EventPurger purger = (conn, before, limit) -> {
            purges.incrementAndGet();
            return 0;
        };
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.H2)) {
            fixture.store(DeliveryFixture.events(3));

            try (Outbox outbox =
                    parts(fixture).purger(purger).purgeRetention(Duration.ZERO).build()) {
                await().until(() -> purges.get() > 0 && fixture.number("1 = 1") == 0);
                assertThat(outbox.counts()).isEmpty();
            }
        }
    }

    @Test
    void leavesDeadEventsWithAPurgerOfOurs() throws Exception {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.H2);
                var conn = fixture.pool().getConnection()) {
            var events = DeliveryFixture.events(2);
            fixture.store(events);
            fixture.jdbc().store().markDone(conn, events.get(0).eventId());
            fixture.jdbc().store().markDead(conn, events.get(1).eventId(), "never");

            try (Outbox outbox = parts(fixture)
                    .purger(new H2EventPurger())
                    .purgeRetention(Duration.ZERO)
                    .build()) {
                await().until(() -> fixture.number("status = 1") == 0);
                assertThat(outbox.deadEvents().count(null)).isOne();
            }
        }
    }

    @Test
    void markDoneKeepsTheRow() throws Exception {
        try (DeliveryFixture fixture = DeliveryFixture.on(TestDatabase.H2);
                var conn = fixture.pool().getConnection()) {
            var events = DeliveryFixture.events(1);
            fixture.store(events);

            assertThat(fixture.jdbc().store().markDone(conn, events.get(0).eventId()))
                    .isOne();

            assertThat(fixture.number("status = 1")).isOne();
        }
    }

    private static Outbox.SingleNodeBuilder parts(DeliveryFixture fixture) {
        JdbcOutbox jdbc = fixture.jdbc();
        return Outbox.singleNode()
                .connectionProvider(jdbc.connectionProvider())
                .txContext(jdbc.txContext())
                .outboxStore(jdbc.store())
                .listenerRegistry(fixture.listeners())
                .intervalMs(20);
    }
}
