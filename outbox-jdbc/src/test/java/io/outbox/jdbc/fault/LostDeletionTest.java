package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.support.Intercepted;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deletions of finished events that took effect, and whose answer got lost. */
class LostDeletionTest {

    private static final int EVENTS = 50;

    @ParameterizedTest
    @EnumSource
    void areRepeatedAndCountedOnceByOneNode(TestDatabase database) {
        assertCountedOnce(database, Outbox.singleNode());
    }

    @ParameterizedTest
    @EnumSource
    void areRepeatedAndCountedOnceByOneOfSeveral(TestDatabase database) {
        assertCountedOnce(database, Outbox.multiNode().claimLocking(Duration.ofMinutes(5)));
    }

    private static void assertCountedOnce(TestDatabase database, Outbox.AbstractBuilder<?> builder) {
        AtomicInteger toLose = new AtomicInteger(3);
        Queue<String> listened = new ConcurrentLinkedQueue<>();
        CountingMetrics metrics = new CountingMetrics();
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(losingAnswers(pool, toLose)).createSchema();
            DefaultListenerRegistry listeners = new DefaultListenerRegistry().register(DeliveryFixture.TYPE, event -> {
                listened.add(event.eventId());
                return DispatchResult.done();
            });
            var events = DeliveryFixture.events(EVENTS);
            try (Outbox outbox = builder.backend(jdbc.backend())
                    .listenerRegistry(listeners)
                    .metrics(metrics)
                    .intervalMs(20)
                    .purgeRetention(Duration.ZERO)
                    .build()) {
                try (Transaction tx = jdbc.begin()) {
                    outbox.writer().writeAll(events);
                    tx.commit();
                }
                await().atMost(Duration.ofSeconds(20)).until(() -> metrics.succeeded.get() >= EVENTS);
            }

            assertThat(toLose).hasNonPositiveValue();
            assertThat(metrics.succeeded).hasValue(EVENTS);
            assertThat(metrics.failed).hasValue(0);
            assertThat(listened).containsExactlyInAnyOrderElementsOf(DeliveryFixture.ids(events));
            assertThat(OutboxRows.all(pool)).isEmpty();
        }
    }

    /** Lets that many deletions by id take effect and fail all the same. */
    private static DataSource losingAnswers(DataSource dataSource, AtomicInteger toLose) {
        return Intercepted.dataSource(dataSource, call -> {
            Object answer = call.proceed();
            boolean deletes = call.executes("status <> 1") && call.sql().startsWith("DELETE");
            if (deletes && toLose.getAndDecrement() > 0) {
                throw new SQLException("the answer got lost", "08006");
            }
            return answer;
        });
    }
}
