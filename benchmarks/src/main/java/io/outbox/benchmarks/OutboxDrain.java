package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The outbox as it is: poller, dispatcher and completion. */
final class OutboxDrain {

    private OutboxDrain() {}

    /** @param batchSize events read at a time; 0 leaves that to the default */
    static Drain.Way singleNode(int batchSize) {
        return drain((database, listeners) -> {
            var builder = Outbox.singleNode().backend(database.jdbc().backend()).listenerRegistry(listeners);
            return (batchSize == 0 ? builder : builder.batchSize(batchSize)).build();
        });
    }

    /** @param batchSize events claimed at a time; 0 leaves that to the default */
    static Drain.Way multiNode(int batchSize) {
        return drain((database, listeners) -> {
            var builder = Outbox.multiNode()
                    .claimLocking(Lease.DEFAULT_DURATION)
                    .backend(database.jdbc().backend())
                    .listenerRegistry(listeners);
            return (batchSize == 0 ? builder : builder.batchSize(batchSize)).build();
        });
    }

    /** As {@link #singleNode}, with events that are deleted when they are done. */
    static Drain.Way singleNodeDeleting(int batchSize) {
        return drain((database, listeners) -> Outbox.singleNode()
                .backend(database.jdbc().backend())
                .listenerRegistry(listeners)
                .batchSize(batchSize)
                .purgeRetention(Duration.ZERO)
                .build());
    }

    /** As {@link #multiNode}, with events that are deleted when they are done. */
    static Drain.Way multiNodeDeleting(int batchSize) {
        return drain((database, listeners) -> Outbox.multiNode()
                .claimLocking(Lease.DEFAULT_DURATION)
                .backend(database.jdbc().backend())
                .listenerRegistry(listeners)
                .batchSize(batchSize)
                .purgeRetention(Duration.ZERO)
                .build());
    }

    /** Drains with an outbox that is started by this. */
    static Drain.Way drain(BiFunction<Database, ListenerRegistry, Outbox> start) {
        return drain(start, outbox -> () -> {});
    }

    /** Drains while something else goes on, which returns how it is ended. */
    static Drain.Way drain(BiFunction<Database, ListenerRegistry, Outbox> start, Function<Outbox, Runnable> beside) {
        return (database, events) -> {
            CountDownLatch open = new CountDownLatch(events);
            DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("Benchmarked", event -> {
                open.countDown();
                return DispatchResult.done();
            });
            try (Outbox outbox = start.apply(database, listeners)) {
                Runnable end = beside.apply(outbox);
                try {
                    if (!open.await(5, TimeUnit.MINUTES)) {
                        throw new IllegalStateException(
                                open.getCount() + " events were not delivered in 5 minutes by " + outbox);
                    }
                } finally {
                    end.run();
                }
            }
        };
    }
}
