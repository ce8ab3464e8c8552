package io.outbox.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Outcome;
import io.outbox.support.Gate;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WatchedBackendTest {

    private static final String NODE = "node";

    private final ScriptedBackend store = new ScriptedBackend();
    private final DeliveryBackend backend = new WatchedBackend(store, new StoreWatch());

    @Test
    void changesOfOneNodeGoOneAfterTheOther() throws Exception {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (Op op : List.of(Op.APPLY, Op.RENEW, Op.RELEASE)) {
            store.before(op, call -> {
                most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                Thread.onSpinWait();
            });
            store.after(op, call -> underWay.decrementAndGet());
        }

        CompletableFuture<?>[] threads = {
            repeating(() -> backend.apply(NODE, List.of(new Outcome.Done("e", Instant.now())))),
            repeating(() -> backend.renew(NODE, List.of("e"))),
            repeating(() -> backend.release(NODE, List.of("e")))
        };
        CompletableFuture.allOf(threads).get(60, TimeUnit.SECONDS);

        assertThat(most).hasValue(1);
    }

    private static CompletableFuture<Void> repeating(Runnable call) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                for (int i = 0; i < 2_000; i++) {
                    call.run();
                }
                end.complete(null);
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    @Test
    void aChangeThatIsNotAnsweredHoldsNobodyUpForLong() throws Exception {
        Gate gate = new Gate();
        store.before(Op.APPLY, call -> gate.pass());
        CompletableFuture<Void> outcomes =
                CompletableFuture.runAsync(() -> backend.apply(NODE, List.of(new Outcome.Done("e", Instant.now()))));
        gate.awaitReached();

        assertThat(backend.renew(NODE, List.of("e"))).isEmpty();

        assertThat(outcomes).isNotDone();
        gate.open();
        outcomes.get(60, TimeUnit.SECONDS);
    }
}
