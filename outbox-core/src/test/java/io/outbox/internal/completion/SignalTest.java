package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SignalTest {

    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Signal signal = new Signal();

    @Test
    @Timeout(60)
    void endsOneWaitHoweverOftenItWasGiven() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            signal.give();
        }

        signal.await(LONG_NANOS);
        long before = System.nanoTime();
        signal.await(TimeUnit.MILLISECONDS.toNanos(20));

        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    @Timeout(60)
    void endsTheNextWaitAfterItWasForgotten() throws Exception {
        signal.give();
        signal.forget();
        signal.give();

        signal.await(LONG_NANOS);
    }

    @Test
    @Timeout(60)
    void isNotMissedWhenItIsGivenWhileAnotherIsTaken() throws Exception {
        int rounds = 20_000;
        AtomicInteger given = new AtomicInteger();
        CyclicBarrier begin = new CyclicBarrier(2);
        Thread giver = new Thread(() -> {
            await(begin);
            for (int i = 0; i < rounds; i++) {
                given.incrementAndGet();
                signal.give();
            }
        });
        giver.start();
        await(begin);

        for (int seen = 0; seen < rounds; seen = given.get()) {
            signal.await(LONG_NANOS); // a signal that is lost would be waited for here
        }

        giver.join();
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
