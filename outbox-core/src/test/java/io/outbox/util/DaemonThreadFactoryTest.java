package io.outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DaemonThreadFactoryTest {

    @Test
    void makesNumberedDaemonThreads() throws Exception {
        DaemonThreadFactory factory = new DaemonThreadFactory("test-worker-");
        AtomicBoolean ran = new AtomicBoolean();

        Thread first = factory.newThread(() -> ran.set(true));
        Thread second = factory.newThread(() -> {});
        first.start();
        first.join();

        assertThat(first.getName()).isEqualTo("test-worker-1");
        assertThat(second.getName()).isEqualTo("test-worker-2");
        assertThat(first.isDaemon()).isTrue();
        assertThat(ran).isTrue();
    }

    @Test
    void needsAPrefix() {
        assertThatNullPointerException()
                .isThrownBy(() -> new DaemonThreadFactory(null))
                .withMessageContaining("prefix");
    }
}
