package io.outbox.soak.node;

import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.soak.ledger.Entry.Ready;
import io.outbox.soak.ledger.EventKind;
import io.outbox.soak.ledger.Ledger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.EnumSet;

/**
 * A node: writes and delivers until its standard input ends, then closes its outbox under load. Each line is a
 * {@link Command}.
 */
public final class NodeMain {

    private static final int WORKERS = 4;
    /** Small, so that a good part of the events overflows to the poller. */
    private static final int QUEUE_CAPACITY = 20;

    private static final int POLL_INTERVAL_MS = 20;
    private static final int DRAIN_TIMEOUT_MS = 2_000;
    private static final int MAX_ATTEMPTS = 100;

    private static final RetryPolicy RETRIES = new ExponentialBackoffRetryPolicy(100, 1_000);

    /**
     * Else what takes long or waits for the broker would keep all workers busy, and make the others wait for longer
     * than a lease.
     */
    private static final LanePolicy OWN_LANE = LanePolicy.builder()
            .concurrency(WORKERS)
            .queueCapacity(QUEUE_CAPACITY)
            .batchSize(QUEUE_CAPACITY)
            .maxAttempts(MAX_ATTEMPTS)
            .retryPolicy(RETRIES)
            .build();

    private NodeMain() {}

    /** Arguments: those of {@link NodeSettings}. */
    public static void main(String[] args) throws Exception {
        NodeSettings settings = NodeSettings.ofArguments(args);
        try (Ledger ledger = Ledger.open(settings.ledger());
                Engine engine = Engine.open(settings.url())) {
            run(engine, settings, ledger);
        }
    }

    private static void run(Engine engine, NodeSettings settings, Ledger ledger)
            throws IOException, InterruptedException {
        Deliveries deliveries = new Deliveries(ledger);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        Listener listener = new Listener(deliveries, settings.lease());
        for (EventKind kind : EnumSet.complementOf(EnumSet.of(EventKind.PUBLISHED))) {
            listeners.register(kind.name(), listener);
        }
        if (settings.broker().isEmpty()) {
            run(engine, settings, ledger, listeners);
            return;
        }
        try (Publishing publishing = new Publishing(settings.broker(), deliveries)) {
            listeners.register(EventKind.PUBLISHED.name(), publishing);
            run(engine, settings, ledger, listeners);
        }
    }

    private static void run(Engine engine, NodeSettings settings, Ledger ledger, DefaultListenerRegistry listeners)
            throws IOException, InterruptedException {
        Writers writers;
        MultiNodeBuilder builder = engine.outbox();
        if (settings.inOrder()) {
            builder.ordering(Ordering.byKey());
        }
        try (Outbox outbox = builder.listenerRegistry(listeners)
                .claimLocking(settings.name(), settings.lease())
                .clock(Clock.offset(Clock.systemUTC(), settings.skew()))
                .workerCount(WORKERS)
                .hotQueueCapacity(QUEUE_CAPACITY)
                .coldQueueCapacity(QUEUE_CAPACITY)
                .batchSize(QUEUE_CAPACITY)
                .intervalMs(POLL_INTERVAL_MS)
                .maxAttempts(MAX_ATTEMPTS)
                .retryPolicy(RETRIES)
                .lane(EventKind.LONG.name(), OWN_LANE)
                .lane(EventKind.PUBLISHED.name(), OWN_LANE)
                .drainTimeoutMs(DRAIN_TIMEOUT_MS)
                .build()) {
            if (settings.inOrder()) { // former versions may not know keys
                outbox.blockedKeys().ifPresent(blocked -> Operator.start(blocked, ledger));
            }
            writers = Writers.start(engine, outbox.writer(), ledger, settings);
            ledger.append(new Ready());
            obey(writers);
        }
        writers.stop();
        writers.join();
    }

    /** Returns when the standard input has ended. */
    private static void obey(Writers writers) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            writers.obey(Command.valueOf(command));
        }
    }
}
