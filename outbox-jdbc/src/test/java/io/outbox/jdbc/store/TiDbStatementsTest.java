package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.testservers.support.Intercepted;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What TiDB's documentation rules out is not sent to it. Behind it is MySQL, which says that it is TiDB. */
class TiDbStatementsTest {

    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    private DataSource asTiDb(DataSource mySql) {
        return Intercepted.dataSource(mySql, call -> {
            if (call.method().getName().equals("prepareStatement")) {
                sent.add((String) call.args()[0]);
            }
            Object result = call.proceed();
            return result instanceof DatabaseMetaData metaData ? metaData(metaData) : result;
        });
    }

    private static DatabaseMetaData metaData(DatabaseMetaData metaData) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                TiDbStatementsTest.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, args) -> method.getName().equals("getDatabaseProductVersion")
                        ? "8.0.11-TiDB-v8.5.0"
                        : method.invoke(metaData, args));
    }

    @Test
    void noStatementPassesOverLocksOrHasAHintOfMySqlsOwn() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.MYSQL.newUrl(), 4)) {
            DataSource tiDb = asTiDb(pool);
            JdbcOutbox jdbc = JdbcOutbox.of(tiDb).withDeadLetters().createSchema();
            assertThat(jdbc.store()).isInstanceOf(TiDbOutboxStore.class);
            DeadLetterStore store = DeadLetterStore.of(jdbc.store());
            List<EventEnvelope> events = DeliveryFixture.events(4);
            List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
            try (Connection conn = tiDb.getConnection()) {
                store.insertBatch(conn, events);
            }
            DeliveryBackend delivery = store.delivery(new DataSourceConnectionProvider(tiDb));

            assertThat(delivery.claim(ClaimRequest.first(new Lease("node", Duration.ofMinutes(5)), Instant.now(), 10))
                            .events())
                    .hasSize(4);
            delivery.renew("node", ids);
            delivery.apply(
                    "node",
                    List.of(
                            new Outcome.Done(ids.get(0), Instant.now()),
                            new Outcome.Failed(ids.get(1), Instant.now(), 0, 1, "Boom")));
            delivery.release("node", ids);
            Instant later = Instant.now().plusSeconds(60);
            try (Connection conn = tiDb.getConnection()) {
                assertThat(store.queryDead(conn, null, null, 5)).hasSize(1);
                assertThat(jdbc.store().purger().purge(conn, later, 10)).isEqualTo(1);
            }
            DeadLetterBackend letters = store.housekeeping(new DataSourceConnectionProvider(tiDb), (c, b, l) -> 0)
                    .deadEvents()
                    .flatMap(DeadEventBackend::queue)
                    .orElseThrow();
            letters.moveDead(10, count -> {});
            letters.returnApproved(10, count -> {});
            letters.cleanUp(later, 10);
        }

        assertThat(sent)
                .hasSizeGreaterThan(20)
                .noneMatch(sql -> sql.contains("SKIP LOCKED"))
                .noneMatch(sql -> sql.contains("/*+ INDEX("))
                .noneMatch(sql -> sql.contains("SAVEPOINT"))
                .noneMatch(sql -> sql.contains("innodb") || sql.contains("read_only"))
                .anyMatch(sql -> sql.contains("/*+ USE_INDEX(outbox_event, idx_status_done) */"));
    }

    @ParameterizedTest
    @ValueSource(ints = {8002, 8005, 8022, 9007})
    void conflictsThatTiDbFindsAtTheCommitAreRepeated(int code) {
        SQLException conflict = new SQLException("Write conflict", "HY000", code);

        assertThat(Repetition.isRepeatable(new OutboxStoreException("Outbox transaction failed", conflict)))
                .isTrue();
    }
}
