package io.outbox.spring.boot.consumer;

import io.outbox.inbox.InboxCleanUp;
import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.JdbcInbox;
import io.outbox.spring.boot.internal.delivery.DeliveryConfiguration;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/**
 * The clean-up as a part of the application's life: it starts when there is a consumer, cares for those that come later
 * too, and ends before the connection pool closes.
 */
final class InboxLifecycle implements SmartLifecycle {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");

    private final Supplier<JdbcInbox> inbox;
    private final IdempotentConsumers consumers;
    private final ConsumerSettings settings;
    private final InboxMetrics metrics;
    private final boolean autoStartup;
    private InboxCleanUp cleanUp;
    private boolean begun;
    private volatile boolean running;

    /**
     * Creates the lifecycle.
     *
     * @param inbox asked for once there is something to clean up
     */
    InboxLifecycle(
            Supplier<JdbcInbox> inbox,
            IdempotentConsumers consumers,
            ConsumerSettings settings,
            InboxMetrics metrics,
            boolean autoStartup) {
        this.inbox = inbox;
        this.consumers = consumers;
        this.settings = settings;
        this.metrics = metrics;
        this.autoStartup = autoStartup;
    }

    @Override
    public synchronized void start() {
        running = true;
        consumers.whenAdded(this::begin);
        begin();
    }

    /** Without a consumer there is nothing to clean up, and maybe no table. */
    private synchronized void begin() {
        Set<String> names = consumers.names();
        if (!running || begun || names.isEmpty()) {
            return;
        }
        cleanUp = settings.cleanUp().map(this::build).orElse(null);
        if (cleanUp != null) {
            cleanUp.start();
        }
        begun = true;
        announce(names);
    }

    private InboxCleanUp build(ConsumerSettings.CleanUp rules) {
        return inbox.get()
                .cleanUp()
                .consumers(consumers::names)
                .batchSize(rules.batchSize())
                .ttl(rules.ttl())
                .initialDelay(rules.initialDelay())
                .fixedDelay(rules.fixedDelay())
                .metrics(metrics)
                .build();
    }

    private void announce(Set<String> names) {
        LOG.log(
                Level.INFO,
                () -> "Idempotent consumers " + names + " in table " + settings.tableName() + "; "
                        + settings.cleanUp()
                                .map(rules -> "events known for " + rules.ttl())
                                .orElse("no clean-up")
                        + settings.cacheName().map(name -> "; cache " + name).orElse("; no cache"));
    }

    @Override
    public synchronized void stop() {
        running = false;
        begun = false;
        if (cleanUp != null) {
            cleanUp.close();
            cleanUp = null;
        }
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** As delivery: after everything that takes messages has stopped. */
    @Override
    public int getPhase() {
        return DeliveryConfiguration.PHASE;
    }
}
