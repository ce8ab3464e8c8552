package io.outbox.dispatch;

import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.OwnedEvents.Hold;
import io.outbox.poller.PollerFeed;
import io.outbox.spi.EventTypes;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A stream of events with queues and workers of its own: the one of an event type with a {@link LanePolicy}, or the one
 * that all other types share.
 *
 * <p>The lane of a type has a {@link RouteCircuit}: when its listener says that the target is unavailable, the events
 * concerned and those queued go back to the store, uncounted, and delivery waits for a probe to get through. So has the
 * shared lane in strict order, where no event may overtake the one that waits. Without strict order, where routes differ,
 * only the event concerned waits.
 */
final class Lane implements PollerFeed {

    private static final System.Logger LOG = System.getLogger(Lane.class.getName());
    private static final Duration UNAVAILABLE_DELAY = Duration.ofSeconds(1);
    private static final long LEASE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long INTERRUPT_GRACE_MS = 1000;

    private final EventTypes types;
    private final Settings settings;
    private final OutboxDispatcher dispatcher;
    private final CompletionWriter completion;
    private final MetricsExporter metrics;
    private final EventProcessor processor;
    private final DispatchQueue queue;
    private final RateLimiter rateLimiter;
    private final RouteCircuit circuit;
    private final ExecutorService workers;
    private final AtomicReference<Runnable> capacityWaiter = new AtomicReference<>();
    private final AtomicInteger delivering = new AtomicInteger();
    private volatile boolean paused;
    private volatile boolean forced;
    private volatile long opensAtNanos = System.nanoTime();
    private boolean started;

    /** What distinguishes one lane from another. */
    record Settings(
            int workers,
            int hotCapacity,
            int coldCapacity,
            int batchSize,
            int maxPerSecond,
            Duration pollInterval,
            Duration startDelay,
            boolean strictOrder) {}

    Lane(
            EventTypes types,
            Settings settings,
            EventProcessor processor,
            OutboxDispatcher dispatcher,
            ThreadFactory threadFactory) {
        this.types = types;
        this.settings = settings;
        this.processor = processor;
        this.dispatcher = dispatcher;
        this.completion = dispatcher.completion();
        this.metrics = dispatcher.metrics();
        this.queue = new DispatchQueue(settings.hotCapacity, settings.coldCapacity, settings.strictOrder);
        this.rateLimiter = settings.maxPerSecond == 0 ? null : new RateLimiter(settings.maxPerSecond);
        this.circuit = types.excluded() && !settings.strictOrder ? null : new RouteCircuit();
        this.workers = Executors.newFixedThreadPool(settings.workers, threadFactory);
    }

    // Intake

    /** Queues the event; if that is refused, gives it back to the store and returns false. */
    boolean offer(Delivery delivery) {
        if (isClosedForNow() || (circuit != null && !circuit.admit())) {
            completion.release(delivery.hold());
            return false;
        }
        if (!queue.offer(delivery)) {
            completion.release(delivery.hold());
            probeLost();
            return false;
        }
        return true;
    }

    /** Returns whether an event written now would find room. */
    boolean hasHotRoom() {
        return !isClosedForNow() && (circuit == null || !circuit.isOpen()) && queue.hotRemaining() > 0;
    }

    private boolean isClosedForNow() {
        return paused || opensAtNanos - System.nanoTime() > 0;
    }

    @Override
    public EventTypes types() {
        return types;
    }

    @Override
    public int availableCapacity() {
        if (isClosedForNow()) {
            return 0;
        }
        int room = queue.coldRemaining();
        return circuit == null ? room : circuit.admits(room);
    }

    @Override
    public void whenCapacityFrees(Runnable action) {
        capacityWaiter.set(action);
        announceCapacity();
    }

    @Override
    public int batchSize() {
        return settings.batchSize;
    }

    @Override
    public Duration interval() {
        return settings.pollInterval;
    }

    private void announceCapacity() {
        if (capacityWaiter.get() == null) {
            return;
        }
        boolean roomy = availableCapacity() > 0
                && (queue.coldRemaining() * 2 >= settings.coldCapacity || (circuit != null && circuit.isOpen()));
        Runnable waiter = roomy ? capacityWaiter.getAndSet(null) : null;
        if (waiter != null) {
            waiter.run();
        }
    }

    int hotSize() {
        return queue.hotSize();
    }

    int coldSize() {
        return queue.coldSize();
    }

    /** Returns how many events are queued or with a listener. */
    int held() {
        return queue.hotSize() + queue.coldSize() + delivering.get();
    }

    int coldRemaining() {
        return isClosedForNow() ? 0 : queue.coldRemaining();
    }

    boolean isUnavailable() {
        return circuit != null && circuit.isOpen();
    }

    // Life cycle

    synchronized void start() {
        if (!started) {
            started = true;
            opensAtNanos = System.nanoTime() + settings.startDelay.toNanos();
            if (!settings.startDelay.isZero()) {
                giveUpQueued();
                dispatcher.wakePollerIn(types, settings.startDelay.toMillis() + 1);
            }
            for (int i = 0; i < settings.workers; i++) {
                workers.execute(this::work);
            }
        }
    }

    /** Takes no more events and gives back those queued; listeners finish what they have. */
    void pause() {
        paused = true;
        giveUpQueued();
    }

    void resume() {
        paused = false;
        announceCapacity();
        dispatcher.wakePollerIn(types, 0);
    }

    /** Refuses further events; workers go on until the queues are empty. */
    void beginClose() {
        queue.close();
        workers.shutdown();
    }

    /** Waits for the workers until the deadline, then interrupts them, and gives back what is left. */
    void finishClose(long deadlineNanos) {
        try {
            long left = Math.max(0, deadlineNanos - System.nanoTime());
            if (started && !workers.awaitTermination(left, TimeUnit.NANOSECONDS)) {
                forced = true;
                giveUpQueued();
                workers.shutdownNow();
                workers.awaitTermination(INTERRUPT_GRACE_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            forced = true;
            workers.shutdownNow();
            Thread.currentThread().interrupt();
        }
        giveUpQueued();
    }

    private void giveUpQueued() {
        List<Delivery> left = queue.clear();
        if (!left.isEmpty()) {
            LOG.log(Level.INFO, "{0} queued events go back to the store", left.size());
            release(left);
        }
    }

    private void release(List<Delivery> deliveries) {
        deliveries.forEach(delivery -> completion.release(delivery.hold()));
        probeLost();
    }

    // Delivery

    private void work() {
        while (true) {
            try {
                List<Delivery> batch = queue.take(this::batchSize);
                if (batch.isEmpty()) {
                    return;
                }
                announceCapacity();
                dispatcher.recordQueueDepths();
                if (rateLimiter != null) {
                    limitRate(batch);
                }
                if (paused) {
                    release(batch);
                } else {
                    deliver(batch);
                }
            } catch (InterruptedException e) {
                if (forced) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "A worker failed outside of a listener; it carries on", e);
            }
        }
    }

    private void limitRate(List<Delivery> batch) throws InterruptedException {
        try {
            rateLimiter.acquire(batch.size());
        } catch (InterruptedException e) {
            release(batch);
            throw e;
        }
    }

    private int batchSize(Delivery delivery) {
        int most = processor.batchSize(delivery);
        if (settings.batchSize > 0) {
            most = Math.min(most, settings.batchSize);
        }
        return settings.maxPerSecond > 0 ? Math.min(most, settings.maxPerSecond) : most;
    }

    /** Delivers one batch on the calling thread; returns its size, or 0 if nothing is queued. */
    int deliverNext() {
        List<Delivery> batch = queue.poll(this::batchSize);
        if (!batch.isEmpty()) {
            deliver(batch);
        }
        return batch.size();
    }

    private void deliver(List<Delivery> batch) {
        delivering.addAndGet(batch.size());
        try {
            deliverSecured(secure(batch));
        } finally {
            delivering.addAndGet(-batch.size());
        }
    }

    private void deliverSecured(List<Delivery> secured) {
        if (secured.isEmpty()) {
            probeLost();
            return;
        }
        secured.forEach(delivery -> metrics.recordDispatchLatencyMs(
                TimeUnit.NANOSECONDS.toMillis(delivery.hold().queuedNanos())));
        List<EventProcessor.Result> results =
                processor.process(secured.stream().map(Delivery::event).toList());
        boolean cutShort = forced;
        Thread.interrupted(); // an interrupt meant for the listener must not disturb the worker
        List<Hold> unavailable = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            Delivery delivery = secured.get(i);
            EventProcessor.Result result = results.get(i);
            if (cutShort && result.outcome() instanceof Outcome.Failed) {
                completion.release(delivery.hold());
            } else if (result.error() instanceof RouteUnavailableException) {
                leaveUncounted(delivery, result, unavailable);
            } else {
                completion.submit(delivery, result.outcome());
            }
        }
        updateCircuit(results, unavailable);
    }

    private void leaveUncounted(Delivery delivery, EventProcessor.Result result, List<Hold> unavailable) {
        if (circuit == null) {
            Instant later = dispatcher.now().plus(UNAVAILABLE_DELAY);
            completion.submit(delivery, new Outcome.Deferred(delivery.eventId(), later));
        } else {
            LOG.log(Level.DEBUG, "Event " + delivery.eventId() + " waits for its target", result.error());
            unavailable.add(delivery.hold());
        }
    }

    private void updateCircuit(List<EventProcessor.Result> results, List<Hold> unavailable) {
        if (circuit == null) {
            return;
        }
        if (unavailable.isEmpty()) {
            boolean answered = results.stream().anyMatch(result -> result.outcome() instanceof Outcome.Done);
            if (answered && circuit.reset()) {
                LOG.log(Level.INFO, "The target of {0} is back; delivery goes on", name());
                metrics.recordRouteUnavailable(name(), false);
                dispatcher.wakePollerIn(types, 0);
            } else if (!answered) {
                probeLost();
            }
            return;
        }
        if (circuit.trip()) {
            LOG.log(Level.WARNING, "The target of {0} is unavailable; its events wait in the store", name());
            metrics.recordRouteUnavailable(name(), true);
        }
        unavailable.forEach(completion::release);
        giveUpQueued();
        dispatcher.wakePollerIn(types, circuit.millisToProbe());
    }

    private String name() {
        return types.excluded() ? "all event types" : types.names().get(0);
    }

    private void probeLost() {
        if (circuit != null && circuit.isOpen()) {
            circuit.probeLost();
            dispatcher.wakePollerIn(types, circuit.millisToProbe());
        }
    }

    /** Returns the events that this node certainly still owns, and lets go of those that another one has. */
    private List<Delivery> secure(List<Delivery> batch) {
        LeaseKeeper keeper = dispatcher.leaseKeeper();
        if (keeper == null) {
            return batch;
        }
        while (!forced) {
            try {
                keeper.secure(batch.stream().map(Delivery::hold).toList());
                Map<Boolean, List<Delivery>> byLoss = batch.stream()
                        .collect(Collectors.partitioningBy(
                                delivery -> delivery.hold().isLost()));
                byLoss.get(true).forEach(delivery -> completion.drop(delivery.hold()));
                return byLoss.get(false);
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "Cannot renew the locks of " + batch.size() + " events yet", e);
                LockSupport.parkNanos(LEASE_RETRY_NANOS);
            }
        }
        release(batch);
        return List.of();
    }
}
