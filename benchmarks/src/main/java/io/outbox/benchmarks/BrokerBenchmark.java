package io.outbox.benchmarks;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.ForwardingBatchListener;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.MultiplyingRetryPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** How fast a backlog of stored events gets to a broker. */
final class BrokerBenchmark {

    /** Events that name a target which does not exist. */
    static final int STRAYS = 5;

    private static final Logger DELIVERY_LOG = Logger.getLogger("io.outbox.delivery");

    private final Database database;
    private final BrokerTarget target;
    private final int events;
    private final int batchSize;

    BrokerBenchmark(Database database, BrokerTarget target, int events) {
        this(database, target, events, BrokerTarget.BATCH);
    }

    /** With the number of events that are read and sent at a time. */
    BrokerBenchmark(Database database, BrokerTarget target, int events, int batchSize) {
        this.database = database;
        this.target = target;
        this.events = events;
        this.batchSize = batchSize;
    }

    String broker() {
        return target.name();
    }

    String bareLoop() {
        return target.bareLoop();
    }

    int events() {
        return events;
    }

    void warmUp() throws Exception {
        database.createLaneIndex();
        target.arrived();
        bare();
        noOp();
        outbox(1);
        outbox(1); // the first time much of it is interpreted
    }

    /** The broker's client alone, with events in memory. */
    Figures bare() throws Exception {
        List<EventEnvelope> backlog = Stream.generate(() -> EventEnvelope.ofJson("Benchmarked", Database.PAYLOAD))
                .limit(events)
                .toList();
        Meter meter = new Meter(database);
        target.sendBare(backlog);
        Figures figures = meter.stop(events);
        requireArrived(events);
        return figures;
    }

    /** The outbox alone. */
    Figures noOp() throws Exception {
        return drain(events -> Collections.nCopies(events.size(), BatchOutcome.done()), 1);
    }

    /**
     * The outbox with the broker, until every outcome is durable.
     *
     * @param workers batches that are under way to the broker at the same time; with one they keep their order
     */
    Figures outbox(int workers) throws Exception {
        Figures figures = drain(target.publisher(), workers);
        requireArrived(events);
        return figures;
    }

    /** The outbox with the broker, until all events are delivered but a few that name targets which do not exist. */
    Figures withStrays() throws Exception {
        DELIVERY_LOG.setLevel(Level.OFF); // each stray has its stack trace there
        target.strays().begin(STRAYS, events);
        try {
            Figures figures = drain(target.publisher(), 1, STRAYS);
            requireArrived(events - STRAYS);
            return figures;
        } finally {
            target.strays().end();
            DELIVERY_LOG.setLevel(null);
        }
    }

    /** The outbox with the broker, where each batch is waited for before the next. */
    Figures batchByBatch() throws Exception {
        BatchEventListener publisher = target.publisher();
        Figures figures = drain(publisher::onEvents, 1);
        requireArrived(events);
        return figures;
    }

    private Figures drain(BatchEventListener listener, int workers) throws Exception {
        return drain(listener, workers, 0);
    }

    /** @param strays events that are left over */
    private Figures drain(BatchEventListener listener, int workers, int strays) throws Exception {
        database.reset();
        database.insertBacklog(events);
        CountingListener counting = new CountingListener(listener, events - strays);
        Meter meter = new Meter(database);
        Outbox outbox = Outbox.singleNode()
                .backend(database.jdbc().backend())
                .listenerRegistry(new DefaultListenerRegistry().register("Benchmarked", counting))
                .batchSize(batchSize)
                .lane(
                        "Benchmarked",
                        LanePolicy.builder()
                                .batchSize(batchSize)
                                .concurrency(workers)
                                .retryPolicy(new MultiplyingRetryPolicy(Duration.ofSeconds(10), 3))
                                .build())
                .build();
        try (outbox) {
            counting.await();
        }
        Figures figures = meter.stop(events - strays);
        if (database.pending() != strays) {
            throw new IllegalStateException(database.pending() + " events are still pending");
        }
        return figures;
    }

    private void requireArrived(long expected) throws Exception {
        long arrived = target.arrived();
        if (arrived != expected) {
            throw new IllegalStateException(arrived + " messages arrived at " + broker() + " instead of " + expected);
        }
    }

    /** Passes events on and counts those that are done. */
    private static final class CountingListener extends ForwardingBatchListener {

        private final CountDownLatch open;

        private CountingListener(BatchEventListener listener, int events) {
            super(listener);
            this.open = new CountDownLatch(events);
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            Pending pending = forward(events, infos, silence);
            return new Pending() {
                @Override
                public void whenAnswered(Runnable action) {
                    pending.whenAnswered(action);
                }

                @Override
                public List<BatchOutcome> outcomes() throws Exception {
                    List<BatchOutcome> outcomes = pending.outcomes();
                    outcomes.stream().filter(BatchOutcome.done()::equals).forEach(done -> open.countDown());
                    return outcomes;
                }
            };
        }

        private void await() throws InterruptedException {
            if (!open.await(5, TimeUnit.MINUTES)) {
                throw new IllegalStateException(open.getCount() + " events were not delivered in 5 minutes");
            }
        }
    }
}
