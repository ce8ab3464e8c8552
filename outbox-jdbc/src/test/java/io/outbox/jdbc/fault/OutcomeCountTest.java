package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.CountingMetrics;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.TcpProxy;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is counted as delivered while outcomes cannot be written. */
class OutcomeCountTest {

    private static final int EVENTS = 20;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void anOutcomeCountsOnceItIsDurableAndNotBefore(TestDatabase database) {
        String url = database.newUrl();
        int port = URI.create(url.substring("jdbc:".length())).getPort();
        AtomicInteger listened = new AtomicInteger();
        CountingMetrics metrics = new CountingMetrics();
        try (TcpProxy proxy = TcpProxy.start(port);
                HikariDataSource direct = TestDatabase.pool(url, 2);
                HikariDataSource pool =
                        database.impatientPool(url.replace(":" + port + "/", ":" + proxy.port() + "/"), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            listeners.register(DeliveryFixture.TYPE, event -> {
                if (listened.getAndIncrement() == 0) {
                    proxy.refuse();
                    proxy.resetAll();
                }
                return DispatchResult.done();
            });
            try (Outbox outbox = Outbox.singleNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(listeners)
                    .metrics(metrics)
                    .workerCount(1)
                    .build()) {
                List<EventEnvelope> events = DeliveryFixture.events(EVENTS);
                try (Transaction tx = jdbc.begin()) {
                    outbox.writer().writeAll(events);
                    tx.commit();
                }
                await().until(() -> listened.get() == EVENTS);
                await().during(Duration.ofMillis(500)).until(() -> metrics.succeeded.get() == 0);
                assertThat(OutboxRows.done(direct)).isEmpty();

                proxy.accept();

                await().atMost(Duration.ofSeconds(20)).until(() -> metrics.succeeded.get() == EVENTS);
                assertThat(OutboxRows.done(direct)).hasSize(EVENTS);
                assertThat(listened).hasValue(EVENTS);
                assertThat(metrics.failed).hasValue(0);
            }
        }
    }
}
