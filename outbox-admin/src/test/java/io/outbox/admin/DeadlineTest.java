package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeadlineTest {

    private final ScheduledThreadPoolExecutor clock = Deadline.newClock(new DaemonThreadFactory("test-clock-"));
    private final Deadline deadline = new Deadline(clock);

    @Test
    void aThreadWhoseTimeIsOverIsInterrupted() {
        deadline.set(Duration.ofMillis(1));
        assertThatThrownBy(() -> new CountDownLatch(1).await(30, TimeUnit.SECONDS))
                .isInstanceOf(InterruptedException.class);
        clock.shutdownNow();
    }

    @Test
    void aRequestThatComesWhileTheServerClosesHasNoDeadline() {
        clock.shutdownNow();

        assertThatCode(() -> deadline.set(Duration.ofMillis(1))).doesNotThrowAnyException();
        deadline.clear();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
