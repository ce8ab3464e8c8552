package io.outbox.soak.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WatchdogTest {

    private final Watchdog watchdog = Watchdog.start();
    private final Process process = new ProcessBuilder("sleep", "600").start();

    WatchdogTest() throws IOException {}

    @AfterEach
    void end() {
        watchdog.close();
        process.destroyForcibly();
    }

    @Test
    void killsWhatIsLeftWhenItIsClosed() throws InterruptedException {
        watchdog.watch(process);

        watchdog.close();

        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void killsAStoppedProcessToo() throws IOException, InterruptedException {
        watchdog.watch(process);
        new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid()).start().waitFor();

        watchdog.close();

        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void leavesWhatItForgotAlone() {
        watchdog.watch(process);
        watchdog.forget(process);

        watchdog.close();

        assertThat(process.isAlive()).isTrue();
    }
}
