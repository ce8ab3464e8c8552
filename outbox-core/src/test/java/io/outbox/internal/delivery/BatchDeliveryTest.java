package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.DispatchResult;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever is thrown around a listener, no event is forgotten. */
@ExtendWith(NoLeftoverThreads.class)
class BatchDeliveryTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Node node = Node.on(backend)
            .metrics(metrics)
            .delivery(settings -> settings.maxAttempts(3))
            .delivery(settings -> settings.retryPolicy(attempts -> 1));

    @AfterEach
    void close() {
        node.close();
    }

    /** An error that cannot even tell what happened. */
    private static final class Unspeakable extends Error {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new StackOverflowError("message");
        }

        @Override
        public String toString() {
            throw new StackOverflowError("text");
        }
    }

    private void awaitStatus(EventStatus status, int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(status) == count);
    }

    @Test
    void anErrorThatCannotTellWhatHappenedCountsAnAttempt() {
        backend.put(Events.event("e"));

        node.listen(event -> {
                    throw new Unspeakable();
                })
                .start();

        awaitStatus(EventStatus.DEAD, 1);
        assertThat(node.delivered()).hasSize(3);
        assertThat(backend.row("e").lastError().lines()).first().isEqualTo(Unspeakable.class.getName());
    }

    @Test
    void anErrorOfABatchThatCannotTellWhatHappenedCountsAnAttemptOfEach() {
        for (int i = 0; i < 10; i++) {
            backend.put(Events.event("e" + i));
        }
        BatchEventListener failing = events -> {
            throw new Unspeakable();
        };

        node.listenDirectly(failing).start();

        awaitStatus(EventStatus.DEAD, 10);
        assertThat(metrics.get("failure")).isEqualTo(20);
    }

    @Test
    void anInterceptorThatFailsUnspeakablyAfterTheListenerCostsNoEventItsEnd() {
        backend.put(Events.event("e"));

        node.delivery(settings -> settings.interceptor(EventInterceptor.after((event, error) -> {
                    throw new Unspeakable();
                })))
                .listen(event -> DispatchResult.done())
                .start();

        await().atMost(Duration.ofSeconds(20)).until(() -> backend.status("e").isTerminal());
    }

    @Test
    void anErrorInRenewalSendsTheEventsBackUncounted() {
        AtomicInteger failures = new AtomicInteger(2);
        Duration lease = Duration.ofMillis(900);
        backend.put(Events.event("e"));
        backend.after(Op.CLAIM, call -> {
            if (failures.get() == 2) {
                await().pollDelay(lease.multipliedBy(3).dividedBy(4)).until(() -> true);
            }
        });
        backend.before(Op.RENEW, call -> {
            if (failures.getAndDecrement() > 0) {
                throw new NoClassDefFoundError("of the store");
            }
        });

        node.named("node", lease).listen(event -> DispatchResult.done()).start();

        awaitStatus(EventStatus.DONE, 1);
        assertThat(node.delivered()).containsExactly("e");
        assertThat(backend.row("e").attempts()).isZero();
        assertThat(metrics.get("failure")).isZero();
    }
}
