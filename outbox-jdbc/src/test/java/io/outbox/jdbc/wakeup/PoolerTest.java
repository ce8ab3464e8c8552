package io.outbox.jdbc.wakeup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.WakeUp;
import io.outbox.testservers.PgBouncerServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.support.CapturedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An outbox whose connections go through PgBouncer in transaction mode. */
class PoolerTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EVENTS = 300;

    private static PgBouncerServer pooler;

    private final String direct = TestDatabase.POSTGRESQL.newUrl();
    private final String pooled = pooler.urlOf(direct) + "&prepareThreshold=0";

    @BeforeAll
    static void startPooler() {
        pooler = PgBouncerServer.start(PostgresServer.shared());
    }

    @AfterAll
    static void stopPooler() {
        pooler.close();
    }

    @Test
    void everyEventOfTwoNodesIsDeliveredOnce() {
        try (HikariDataSource first = TestDatabase.pool(pooled, 4);
                HikariDataSource second = TestDatabase.pool(pooled, 4)) {
            Map<String, Integer> deliveries = new ConcurrentHashMap<>();
            JdbcOutbox jdbc = JdbcOutbox.of(first).createSchema();
            try (Outbox one = node(jdbc, deliveries);
                    Outbox other = node(JdbcOutbox.of(second).validateSchema(), deliveries)) {
                assertThat(other.state()).isEqualTo(one.state());
                List<String> written = new ArrayList<>();
                for (int i = 0; i < EVENTS; i++) {
                    try (Transaction tx = jdbc.begin()) {
                        written.add(one.writer().write(EventEnvelope.ofJson("Pooled", "{}")));
                        tx.commit();
                    }
                }

                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(deliveries.keySet()).containsAll(written));
                assertThat(deliveries.values()).containsOnly(1);
            }
        }
    }

    @Test
    void aDriverThatWouldLoseItsStatementsIsToldWhatToSet() {
        try (HikariDataSource pool = TestDatabase.pool(pooler.urlOf(direct), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool);

            assertThatThrownBy(jdbc::createSchema).hasMessageContaining("prepareThreshold=0");
            assertThatThrownBy(jdbc::validateSchema).hasMessageContaining("max_prepared_statements");
        }
    }

    /** The version of the build cannot do that. */
    @Test
    @Tag("soak")
    void aPoolerThatPreparesStatementsAnewNeedsNoSettingOfTheDriver() {
        try (PgBouncerServer preparing = PgBouncerServer.startNewer(PostgresServer.shared(), 100);
                HikariDataSource pool = TestDatabase.pool(preparing.urlOf(direct), 4)) {
            Map<String, Integer> deliveries = new ConcurrentHashMap<>();
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema().validateSchema();
            try (Outbox node = node(jdbc, deliveries)) {
                for (int i = 0; i < EVENTS; i++) {
                    try (Transaction tx = jdbc.begin()) {
                        node.writer().write(EventEnvelope.ofJson("Pooled", "{}"));
                        tx.commit();
                    }
                }
                await().atMost(PATIENCE).until(() -> deliveries.size() == EVENTS);
                assertThat(deliveries.values()).containsOnly(1);
            }
        }
    }

    @Test
    @Tag("soak")
    void aNewPoolerThatPreparesNothingIsToldOfAsAnOldOne() {
        try (PgBouncerServer newer = PgBouncerServer.startNewer(PostgresServer.shared(), 0);
                HikariDataSource pool = TestDatabase.pool(newer.urlOf(direct), 2)) {
            assertThatThrownBy(JdbcOutbox.of(pool)::createSchema).hasMessageContaining("max_prepared_statements");
        }
    }

    private static Outbox node(JdbcOutbox jdbc, Map<String, Integer> deliveries) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Pooled", event -> {
            deliveries.merge(event.eventId(), 1, Integer::sum);
            return DispatchResult.done();
        });
        return Outbox.multiNode()
                .backend(jdbc.backend())
                .claimLocking(Duration.ofMinutes(5))
                .listenerRegistry(listeners)
                .hotQueueCapacity(20)
                .intervalMs(100)
                .build();
    }

    @Test
    void aListenerThatHearsNothingIsNoticedAndTold() {
        assertDeafnessIsTold(pooled);
    }

    @Test
    @Tag("soak")
    void aListenerThatHearsNothingThroughANewPoolerIsNoticedAndTold() {
        try (PgBouncerServer newer = PgBouncerServer.startNewer(PostgresServer.shared(), 100)) {
            assertDeafnessIsTold(newer.urlOf(direct));
        }
    }

    private static void assertDeafnessIsTold(String url) {
        try (HikariDataSource pool = TestDatabase.pool(url, 4);
                CapturedLog log = CapturedLog.open()) {
            WakeUp wakeUp = JdbcOutbox.of(pool).createSchema().wakeUp();
            WakeUp.Listening listening = wakeUp.listen(types -> {});

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.text()).contains("LISTEN was accepted, but no hint arrives"));
            assertThat(wakeUp.isConnected()).isFalse();
            listening.close();
        }
    }

    @Test
    void hintsAreHeardByADirectConnection() {
        try (HikariDataSource pool = TestDatabase.pool(pooled, 4);
                HikariDataSource directly = TestDatabase.pool(direct, 1)) {
            WakeUp wakeUp = JdbcOutbox.of(pool).createSchema().wakeUp(directly);
            WakeUp.Listening listening = wakeUp.listen(types -> {});

            await().atMost(PATIENCE).until(wakeUp::isConnected);
            listening.close();
        }
    }
}
