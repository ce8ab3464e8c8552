package io.outbox.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import io.outbox.spi.EventPurger;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeftoverThreads.class)
class OutboxPurgeSchedulerTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00Z");

    private final CountedConnections connections = new CountedConnections();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<Call> calls = new CopyOnWriteArrayList<>();
    private volatile int backlog;

    private record Call(Instant before, int limit) {}

    @AfterEach
    void noConnectionIsLeftOpen() {
        assertThat(connections.open()).isZero();
    }

    private OutboxPurgeScheduler.Builder builder(EventPurger purger) {
        return OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .purger(purger)
                .metrics(metrics)
                .clock(Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private EventPurger purger() {
        return (conn, before, limit) -> {
            calls.add(new Call(before, limit));
            int deleted = Math.min(limit, backlog);
            backlog -= deleted;
            return deleted;
        };
    }

    @Test
    void keepsSevenDaysAndDeletes500AtATimeByDefault() {
        try (OutboxPurgeScheduler scheduler = builder(purger()).build()) {
            scheduler.runOnce();
        }

        assertThat(calls).containsExactly(new Call(NOW.minus(Duration.ofDays(7)), 500));
        assertThat(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS).isEqualTo(3600);
    }

    @Test
    void deletesBatchesOnTheirOwnConnectionsUntilOneIsNotFull() {
        backlog = 25;
        try (OutboxPurgeScheduler scheduler =
                builder(purger()).batchSize(10).retention(Duration.ofHours(1)).build()) {
            scheduler.runOnce();
        }

        assertThat(calls).hasSize(3).containsOnly(new Call(NOW.minus(Duration.ofHours(1)), 10));
        assertThat(connections.opened()).isEqualTo(3);
        assertThat(backlog).isZero();
        assertThat(metrics.get("purged")).isEqualTo(25);
    }

    @Test
    void looksOnceMoreAfterAFullLastBatch() {
        backlog = 20;
        try (OutboxPurgeScheduler scheduler = builder(purger()).batchSize(10).build()) {
            scheduler.runOnce();
        }

        assertThat(calls).hasSize(3);
    }

    @Test
    void logsAnOutageOnceAndItsEndAndTriesAgainNextTime() {
        backlog = 5;
        connections.failWith(new SQLException("down"));
        try (LogLines log = new LogLines();
                OutboxPurgeScheduler scheduler = builder(purger()).build()) {
            assertThatNoException().isThrownBy(scheduler::runOnce);
            scheduler.runOnce();
            assertThat(log.at(Level.SEVERE, "Purge failed")).hasSize(1);
            connections.failWith(null);
            scheduler.runOnce();
            scheduler.runOnce();
            assertThat(log.at(Level.INFO, "Purge works again")).hasSize(1);
        }

        assertThat(backlog).isZero();
    }

    @Test
    void survivesAPurgerThatThrows() {
        try (OutboxPurgeScheduler scheduler = builder((conn, before, limit) -> {
                    calls.add(new Call(before, limit));
                    throw new StackOverflowError();
                })
                .intervalSeconds(1)
                .build()) {
            assertThatNoException().isThrownBy(scheduler::runOnce);
            scheduler.start();
            await().atMost(Duration.ofSeconds(20)).until(() -> calls.size() >= 3);
        }
    }

    @Test
    void countsWhatWasDeletedBeforeAFailure() {
        try (OutboxPurgeScheduler scheduler = builder((conn, before, limit) -> {
                    calls.add(new Call(before, limit));
                    if (calls.size() == 3) {
                        throw new IllegalStateException("down");
                    }
                    return limit;
                })
                .batchSize(10)
                .build()) {
            scheduler.runOnce();
        }

        assertThat(metrics.get("purged")).isEqualTo(20);
    }

    @Test
    void runsAtTheStart() {
        backlog = 3;
        try (OutboxPurgeScheduler scheduler = builder(purger()).build()) {
            scheduler.start();
            scheduler.start();
            await().atMost(Duration.ofSeconds(10)).until(() -> backlog == 0);
        }

        assertThat(calls).hasSize(1);
    }

    @Test
    void stopsAfterTheCurrentBatchWhenClosed() {
        OutboxPurgeScheduler scheduler = builder((conn, before, limit) -> {
                    calls.add(new Call(before, limit));
                    return limit;
                })
                .build();
        scheduler.start();
        await().atMost(Duration.ofSeconds(10)).until(() -> calls.size() > 5);

        scheduler.close();
        int made = calls.size();

        await().during(Duration.ofMillis(50)).until(() -> calls.size() == made);
    }

    @Test
    void cannotBeStartedAfterClose() {
        OutboxPurgeScheduler scheduler = builder(purger()).build();
        scheduler.close();
        scheduler.close();

        assertThatIllegalStateException().isThrownBy(scheduler::start).withMessageContaining("closed");
        assertThat(calls).isEmpty();
    }
}
