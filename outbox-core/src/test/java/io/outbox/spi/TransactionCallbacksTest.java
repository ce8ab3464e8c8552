package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.support.Gate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TransactionCallbacksTest {

    private final TransactionCallbacks callbacks = new TransactionCallbacks();
    private final List<TransactionEnd> ends = new CopyOnWriteArrayList<>();

    /** A transaction manager ends a transaction that has timed out on a thread of its own. */
    @Test
    void aTransactionEndsThoughItsWorkBeforeTheCommitHangs() throws Exception {
        Gate hanging = new Gate();
        callbacks.beforeCommit(hanging::pass);
        callbacks.afterCompletion(ends::add);
        callbacks.commitBegins();
        CompletableFuture<Void> committer = CompletableFuture.runAsync(callbacks::runBeforeCommit);
        hanging.awaitReached();

        CompletableFuture.runAsync(() -> callbacks.ended(callbacks.end(false, true)))
                .get(10, TimeUnit.SECONDS);

        assertThat(ends).containsExactly(TransactionEnd.UNKNOWN);
        hanging.open();
        committer.get(10, TimeUnit.SECONDS);
    }

    @Test
    void workThatCameTooLateForTheCommitMakesTheEndUnknown() {
        callbacks.beforeCommit(() -> {});
        callbacks.commitBegins();
        callbacks.runBeforeCommit();
        assertThat(callbacks.end(true, false)).isEqualTo(TransactionEnd.COMMITTED);

        callbacks.beforeCommit(() -> {});

        assertThat(callbacks.end(true, false)).isEqualTo(TransactionEnd.UNKNOWN);
    }
}
