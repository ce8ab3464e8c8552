package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What it costs to read a backlog. */
@ExtendWith(NoLeftoverThreads.class)
class DrainTest {

    @Test
    void aNodeWithSlowListenersReadsItsBacklogOnce() {
        int events = 1000;
        ScriptedBackend backend = new ScriptedBackend();
        for (int i = 0; i < events; i++) {
            backend.put(Events.event("e" + i));
        }

        try (Node node = Node.on(backend)
                .delivery(settings -> settings.coldQueueCapacity(100))
                .listen(event -> {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    return DispatchResult.done();
                })
                .start()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> backend.count(EventStatus.DONE) == events);
            assertThat(node.delivered()).hasSize(events).doesNotHaveDuplicates();
        }

        assertThat(backend.rowsRead() / (double) events).isLessThan(1.2);
    }
}
