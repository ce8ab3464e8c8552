package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Business transactions, at the database's default isolation, beside nodes that claim without rest. */
class ConcurrentWritersTest {

    private static final Duration LEASE = Duration.ofMinutes(5);

    @ParameterizedTest
    @EnumSource
    void claimsNeverMakeABusinessTransactionFail(TestDatabase database) throws InterruptedException {
        FaultyLoad load = new FaultyLoad();
        try (DeliveryFixture fixture = DeliveryFixture.on(database)) {
            fixture.listeners().register(FaultyLoad.EVENT_TYPE, load.listener());
            List<OutboxWriter> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Outbox node = fixture.open(Outbox.multiNode()
                        .claimLocking("claiming-" + i, LEASE)
                        .workerCount(2)
                        .hotQueueCapacity(2)
                        .coldQueueCapacity(4)
                        .batchSize(3));
                writers.add(node.writer());
            }
            AtomicInteger turn = new AtomicInteger();
            load.start(6, fixture.jdbc(), () -> writers.get(turn.getAndIncrement() % 3));
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                load.requireRunning();
                return load.delivered() >= 600;
            });
            load.stop();
            await().atMost(Duration.ofSeconds(60)).until(() -> fixture.number("status <> 1") == 0);

            assertThat(load.failedTransactions()).isZero();
            assertThat(load.deliveries().values()).allMatch(count -> count == 1);
            assertThat(OutboxRows.all(fixture.pool()).keySet()).containsExactlyInAnyOrderElementsOf(load.committed());
        } finally {
            load.stop();
        }
    }
}
