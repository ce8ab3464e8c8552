package io.outbox.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
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
    void itsThreadsInheritNothingFromTheOneThatNeedsThem() throws Exception {
        DaemonThreadFactory factory = new DaemonThreadFactory("test-worker-");
        InheritableThreadLocal<String> identity = new InheritableThreadLocal<>();
        AtomicReference<String> inherited = new AtomicReference<>();
        AtomicReference<ClassLoader> loader = new AtomicReference<>();
        Thread needy = new Thread(() -> {
            identity.set("somebody");
            Thread.currentThread().setContextClassLoader(null);
            Thread worker = factory.newThread(() -> {
                inherited.set(identity.get());
                loader.set(Thread.currentThread().getContextClassLoader());
            });
            worker.start();
            joined(worker);
        });
        needy.start();
        needy.join();

        assertThat(inherited).hasNullValue();
        assertThat(loader).hasValue(Thread.currentThread().getContextClassLoader());
    }

    private static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void needsAPrefix() {
        assertThatNullPointerException()
                .isThrownBy(() -> new DaemonThreadFactory(null))
                .withMessageContaining("prefix");
    }
}
