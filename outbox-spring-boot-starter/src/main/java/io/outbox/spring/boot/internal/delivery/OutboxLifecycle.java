package io.outbox.spring.boot.internal.delivery;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ApplicationContextEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Delivery as a part of the application's life: it starts once all beans are there and their listeners are registered,
 * before the web server takes requests, and ends after the web server has stopped and before the connection pool
 * closes.
 *
 * <p>When the application ends, the outboxes are closed, which delivers what is queued for up to the drain timeout.
 * When the context is only stopped, they are paused, and go on when it is started again.
 */
final class OutboxLifecycle implements SmartLifecycle, ApplicationListener<ApplicationContextEvent> {

    private final ObjectProvider<Outbox> outboxes;
    private final OutboxAssembler assembler;
    private final ApplicationContext context;
    private final boolean autoStartup;
    private final List<Outbox> pausedByStop = new ArrayList<>();
    private volatile boolean running;
    private volatile boolean closing;

    OutboxLifecycle(
            ObjectProvider<Outbox> outboxes,
            OutboxAssembler assembler,
            ApplicationContext context,
            boolean autoStartup) {
        this.outboxes = Objects.requireNonNull(outboxes, "outboxes");
        this.assembler = Objects.requireNonNull(assembler, "assembler");
        this.context = Objects.requireNonNull(context, "context");
        this.autoStartup = autoStartup;
    }

    @Override
    public synchronized void start() {
        outboxes.forEach(this::start);
        pausedByStop.forEach(Outbox::resume);
        pausedByStop.clear();
        running = true;
    }

    private void start(Outbox outbox) {
        outbox.start();
        assembler.announce(outbox);
    }

    @Override
    public synchronized void stop() {
        running = false;
        outboxes.forEach(closing ? Outbox::close : this::pause);
    }

    private void pause(Outbox outbox) {
        if (outbox.state() == State.RUNNING) {
            outbox.pause();
            pausedByStop.add(outbox);
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

    @Override
    public int getPhase() {
        return DeliveryConfiguration.PHASE;
    }

    @Override
    public void onApplicationEvent(ApplicationContextEvent event) {
        if (event.getApplicationContext() != context) {
            return;
        }
        if (event instanceof ContextClosedEvent) {
            closing = true;
        } else if (event instanceof ContextRefreshedEvent) {
            outboxes.forEach(assembler::announce);
        }
    }
}
