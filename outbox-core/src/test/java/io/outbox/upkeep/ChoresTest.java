package io.outbox.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.support.LogLines;
import io.outbox.support.NoLeftoverThreads;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeftoverThreads.class)
class ChoresTest {

    private final Chores chores = new Chores("broom", "outbox-broom-");
    private final Outage outage = new Outage(
            System.getLogger(ChoresTest.class.getName()),
            System.Logger.Level.WARNING,
            "Cannot sweep",
            "Sweeping works again");

    @AfterEach
    void close() {
        chores.close();
    }

    @Test
    void worksInBatchesUntilOneIsNotFull() {
        Queue<Integer> batches = new ArrayDeque<>(List.of(10, 10, 3, 10));

        assertThat(chores.inBatches(outage, 10, size -> batches.remove())).isEqualTo(23);

        assertThat(batches).containsExactly(10);
    }

    @Test
    void tellsWhatWasDoneBeforeAFailureAndLogsAnOutageOnce() {
        Queue<Integer> batches = new ArrayDeque<>(List.of(10, 10));
        try (LogLines log = new LogLines()) {
            assertThat(chores.inBatches(outage, 10, size -> batches.remove())).isEqualTo(20);
            assertThat(chores.inBatches(outage, 10, size -> {
                        throw new StackOverflowError();
                    }))
                    .isZero();
            assertThat(log.at(Level.WARNING, "Cannot sweep")).hasSize(1);

            chores.inBatches(outage, 10, size -> 0);
            assertThat(log.at(Level.INFO, "Sweeping works again")).hasSize(1);
        }
    }

    @Test
    void repeatsWorkOnceStarted() {
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger starts = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            chores.start(() -> {
                starts.incrementAndGet();
                chores.repeat(Duration.ZERO, Duration.ofMillis(1), runs::incrementAndGet);
            });
        }

        await().until(() -> runs.get() >= 3);
        assertThat(starts).hasValue(1);
    }

    @Test
    void endsAfterTheCurrentBatchWhenClosed() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger batches = new AtomicInteger();
        chores.start(() -> chores.repeat(
                Duration.ZERO,
                Duration.ofMillis(1),
                () -> chores.inBatches(outage, 1, size -> {
                    begun.countDown();
                    batches.incrementAndGet();
                    await().until(chores::isClosed);
                    return 1;
                })));
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        chores.close();

        assertThat(batches).hasValue(1);
        assertThatIllegalStateException()
                .isThrownBy(() -> chores.start(() -> {}))
                .withMessage("The broom is closed; build a new one");
    }
}
