package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeyQueueTest {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final KeyQueue queue = new KeyQueue();

    private List<String> awaitKeys() throws InterruptedException {
        queue.await(PATIENCE_NANOS, true, false);
        return queue.take(10, key -> true);
    }

    /** The first look may find the head of the key not due yet, and nothing else would bring the second. */
    @Test
    void anEarlierTimeOfAKeyDoesNotReplaceALaterOne() throws InterruptedException {
        queue.addIn("key", TimeUnit.MILLISECONDS.toNanos(1));
        queue.addIn("key", TimeUnit.MILLISECONDS.toNanos(200));

        assertThat(awaitKeys()).containsExactly("key");
        assertThat(awaitKeys()).containsExactly("key");
    }

    @Test
    void keysComeInTheOrderOfTheirTimes() throws InterruptedException {
        queue.addIn("second", TimeUnit.MILLISECONDS.toNanos(300));
        queue.addIn("first", TimeUnit.MILLISECONDS.toNanos(1));

        assertThat(awaitKeys()).containsExactly("first");
        assertThat(awaitKeys()).containsExactly("second");
    }

    @Test
    void aSweepThatIsAskedForBeginsAtOnceUnlessTheLastOneHasJustBegun() {
        queue.sweepBegins(PATIENCE_NANOS);
        queue.sweepAfterLast(PATIENCE_NANOS / 2);
        assertThat(queue.isTimeToSweep()).isFalse();

        queue.sweepAfterLast(0);
        assertThat(queue.isTimeToSweep()).isTrue();
    }

    /** Or nothing would look at the key when it is due again. */
    @Test
    void ofTooManyTimesTheLatestBecomesATimeOfASweep() throws InterruptedException {
        queue.sweepBegins(TimeUnit.DAYS.toNanos(1));
        queue.addIn("last", TimeUnit.SECONDS.toNanos(1));
        for (int i = 0; i < 10_000; i++) {
            queue.addIn("key" + i, 0);
        }

        assertThat(queue.take(20_000, key -> true)).hasSize(10_000).doesNotContain("last");
        queue.await(PATIENCE_NANOS, true, true);
        assertThat(queue.isTimeToSweep()).isTrue();
    }

    @Test
    void aKeyThatIsWantedTwiceComesOnce() {
        queue.addIn("key", 0);
        queue.add("key");

        assertThat(queue.take(10, key -> true)).containsExactly("key");
        assertThat(queue.isEmpty()).isTrue();
    }
}
