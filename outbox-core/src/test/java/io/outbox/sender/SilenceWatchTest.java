package io.outbox.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.sender.SilenceWatch.Call;
import io.outbox.support.Gate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {

    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final SilenceWatch watch = new SilenceWatch("outbox-watch-", PATIENCE);
    private final AtomicInteger told = new AtomicInteger();

    @AfterEach
    void close() {
        watch.close();
    }

    @Test
    void tellsOnceThatNothingCameBack() {
        long start = System.nanoTime();
        Call call = watch.begin(this::tell);
        await().until(() -> told.get() == 1);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(PATIENCE);
        await().during(PATIENCE.multipliedBy(2)).until(() -> told.get() == 1);
        call.close();
    }

    @Test
    void asksAgainWhoeverKnowsBetter() {
        Call call = watch.begin(() -> told.incrementAndGet() == 3);

        await().until(() -> told.get() == 3);
        await().during(PATIENCE.multipliedBy(2)).until(() -> told.get() == 3);
        call.close();
    }

    private boolean tell() {
        told.incrementAndGet();
        return true;
    }

    @Test
    void anAnswerBuysTime() {
        AtomicLong toldAt = new AtomicLong();
        BooleanSupplier tell = () -> {
            toldAt.set(System.nanoTime());
            return tell();
        };
        long lastAnswer = 0;
        try (Call call = watch.begin(tell)) {
            for (int i = 0; i < 5; i++) {
                await().pollDelay(PATIENCE.dividedBy(3)).until(() -> true);
                long answer = System.nanoTime();
                call.answered();
                if (told.get() == 1) {
                    break; // this thread was kept from answering in time
                }
                lastAnswer = answer;
            }
            await().until(() -> told.get() == 1);
        }

        assertThat(Duration.ofNanos(toldAt.get() - lastAnswer)).isGreaterThanOrEqualTo(PATIENCE);
    }

    @Test
    void tellsNothingAboutACallThatIsOver() {
        watch.begin(this::tell).close();

        await().during(PATIENCE.multipliedBy(2)).until(() -> told.get() == 0);
    }

    @Test
    void aWatchThatIsClosedTellsNothing() {
        Call before = watch.begin(this::tell);
        watch.close();
        Call after = watch.begin(this::tell);

        await().during(PATIENCE.multipliedBy(2)).until(() -> told.get() == 0);
        before.close();
        after.close();
    }

    @Test
    void aCallEndsThoughWhoeverIsToldOfTheSilenceHangs() {
        Gate hanging = new Gate();
        Call call = watch.begin(() -> {
            hanging.pass();
            return tell();
        });
        hanging.awaitReached();

        call.close();
        assertThat(told).hasValue(0);

        hanging.open();
        await().until(() -> told.get() == 1);
    }
}
