package io.outbox;

import io.outbox.dead.DeadEventManager;
import io.outbox.dead.DeadEventOperations;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.delivery.DeliveryEngine;
import io.outbox.internal.lifecycle.Ending;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.NodeStatus;
import io.outbox.model.OutboxStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.poller.StuckRecovery;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.EventTypes;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.Limits;
import io.outbox.spi.Outcome;
import io.outbox.spi.WakeUp;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A complete outbox: a writer for business code, and behind it dispatcher, poller and purge as the chosen scenario
 * needs them, started and stopped together. Thread-safe.
 *
 * <p>An event of a committed transaction is delivered at least once, and exactly once while nothing fails; an event of
 * a rolled-back transaction is never delivered. Events written after {@link #close()} are stored, and delivered by the
 * next outbox on the same store.
 */
public final class Outbox implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox");

    private final @Nullable HousekeepingBackend housekeeping;
    private final OutboxAssembly.Writing writing;
    private final OutboxAssembly.@Nullable Delivery delivery;
    private final @Nullable OutboxPurgeScheduler purgeScheduler;
    private final @Nullable WakeUp wakeUp;
    private final @Nullable DeadLetterQueue deadLetters;
    private final @Nullable EventWatch events;
    private final Clock clock;
    private final Ending ending = new Ending();
    private final Object deliveringDue = new Object();
    /** Held while components start, which calls code of the application; nothing else waits for it but the end. */
    private final Object starting = new Object();

    private WakeUp.@Nullable Listening listening;
    private boolean started;
    private boolean closed;

    private Outbox(OutboxAssembly.Parts parts) {
        this.housekeeping = parts.housekeeping().backend();
        this.purgeScheduler = parts.housekeeping().purgeScheduler();
        this.deadLetters = parts.housekeeping().deadLetters();
        this.events = parts.housekeeping().events();
        this.wakeUp = parts.wakeUp();
        this.clock = parts.clock();
        this.delivery = parts.delivery();
        this.writing = parts.writing();
    }

    /** One node delivers: right after commit, with the poller behind. */
    public static SingleNodeBuilder singleNode() {
        return new SingleNodeBuilder();
    }

    /** Several nodes share a store: as {@link #singleNode()}, with ownership of events in the store. */
    public static MultiNodeBuilder multiNode() {
        return new MultiNodeBuilder();
    }

    /** Events are delivered in the order they were written: by the poller alone, one at a time, without retries. */
    public static OrderedBuilder ordered() {
        return new OrderedBuilder();
    }

    /** Events are only written, for change data capture or for an outbox elsewhere to deliver. */
    public static WriterOnlyBuilder writerOnly() {
        return new WriterOnlyBuilder();
    }

    /** Returns the writer for business code. */
    public OutboxWriter writer() {
        return writing.writer();
    }

    /** Returns the writer for business code that has objects, and leaves their JSON to the outbox. */
    public OutboxPublisher publisher() {
        return writing.publisher();
    }

    /**
     * Returns access to this outbox's dead events.
     *
     * @throws IllegalStateException if this outbox only writes and has no connections of its own
     */
    public DeadEventManager deadEvents() {
        if (housekeeping == null) {
            throw new IllegalStateException("This outbox only writes and has no ConnectionProvider for anything else");
        }
        return new DeadEventManager(housekeeping, this::eventsReplayed);
    }

    /**
     * Returns the keys blocked by an event that failed for good, for operators to unblock; empty if this outbox does
     * not deliver in the order of keys.
     */
    public Optional<BlockedKeys> blockedKeys() {
        return delivery == null || !delivery.engine().keepsOrder()
                ? Optional.empty()
                : Optional.of(new BlockedKeys(
                        delivery.engine().backend(),
                        delivery.engine()::now,
                        delivery.engine()::lookAtKey,
                        delivery.engine().metrics()::incrementKeyedResumed,
                        delivery.engine().metrics()::incrementKeyedSkipped));
    }

    /**
     * Returns where an event stands; empty if there is none with this id: it was never written, was rolled back, or is
     * done and deleted. An event with subscriptions has a row for each of them; this is about the row that has the
     * event's own id.
     *
     * @throws UnsupportedOperationException if the store cannot look up events by their id
     * @throws IllegalStateException if this outbox only writes and has no connections of its own
     */
    public Optional<EventView> find(String eventId) {
        return requireEvents().find(Check.notBlank(eventId, "eventId"));
    }

    /**
     * Waits until an event has ended, DONE or DEAD, on whichever node, and returns what became of it. The event need
     * not be there yet: its transaction may commit later. One that was there and is gone is DONE, since its end removes
     * it where nothing is kept.
     *
     * <p>What this node ends is known right away. For what others end the store is asked, for all waiting threads
     * together, and less and less often. Do not wait in the transaction that writes the event, nor in a listener.
     *
     * @throws TimeoutException if it has not ended in time; the message says where it stands
     * @throws UnsupportedOperationException if the store cannot look up events by their id
     * @throws IllegalStateException if this outbox only writes and has no connections of its own
     */
    public EventView await(String eventId, Duration timeout) throws InterruptedException, TimeoutException {
        Check.notBlank(eventId, "eventId");
        return requireEvents().await(eventId, Limits.notNegative(timeout, "timeout"));
    }

    private EventWatch requireEvents() {
        if (events == null) {
            throw new IllegalStateException("This outbox only writes and has no ConnectionProvider for anything else");
        }
        return events;
    }

    /**
     * Returns the events that wait for their delivery, for operators to have them delivered now or to end them.
     *
     * @throws IllegalStateException if this outbox only writes: what is in delivery, those know that deliver
     */
    public WaitingEvents waiting() {
        if (delivery == null || housekeeping == null) {
            throw new IllegalStateException("This outbox only writes: ask one that delivers");
        }
        DeliveryEngine engine = delivery.engine();
        WaitingEvents.Holders holders = new WaitingEvents.Holders() {
            @Override
            public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
                return engine.applyToFree(outcomes);
            }

            @Override
            public boolean areInStore() {
                return engine.locksInStore();
            }
        };
        return new WaitingEvents(housekeeping, holders, engine::now, this::eventsReplayed, (eventIds, took) -> {
            if (deadLetters != null) {
                deadLetters.cancelled(eventIds, took);
            }
        });
    }

    private void eventsReplayed() {
        if (delivery != null) {
            delivery.poller().wakeUp();
            delivery.engine().lookAtKeys();
        }
        if (wakeUp != null) {
            wakeUp.signal(Set.of());
        }
    }

    /**
     * Returns what operators see of dead events and do with them, in the dead letter queue or in the outbox; empty if
     * they cannot look into the store.
     */
    public Optional<DeadEventOperations> deadEventOperations() {
        if (deadLetters != null || housekeeping == null) {
            return Optional.ofNullable(deadLetters);
        }
        return housekeeping.deadEvents().map(backend -> new DeadEventOperations(backend, this::eventsReplayed));
    }

    /** Returns the dead letter queue; empty if the store leaves dead events where they are. */
    public Optional<DeadLetterQueue> deadLetters() {
        return Optional.ofNullable(deadLetters);
    }

    /**
     * Starts delivery, unless it runs already. Needed only after {@link AbstractBuilder#startManually()}.
     *
     * @throws IllegalStateException if this outbox is closed
     */
    public void start() {
        synchronized (starting) {
            if (!beginToStart()) {
                return;
            }
            if (delivery != null) {
                delivery.begun().set(true);
                delivery.engine().start();
                delivery.poller().start();
                listenForHints(delivery);
            }
            if (purgeScheduler != null) {
                purgeScheduler.start();
            }
            if (deadLetters != null) {
                deadLetters.start();
            }
        }
    }

    private synchronized boolean beginToStart() {
        requireOpen();
        boolean begins = !started;
        started = true;
        return begins;
    }

    private void listenForHints(OutboxAssembly.Delivery delivery) {
        if (wakeUp != null) {
            listening = wakeUp.listen(types -> {
                delivery.poller().wakeUp(types.isEmpty() ? EventTypes.ALL : new EventTypes(List.copyOf(types), false));
                delivery.engine().lookAtKeys();
            });
        }
    }

    /**
     * Delivers everything that is due when it is called, on the calling thread, and returns once it is done. What
     * becomes due meanwhile is left to the next call. For an outbox that was not started: in tests, or where another
     * scheduler is in charge.
     *
     * @return how many deliveries were made
     * @throws IllegalStateException if this outbox only writes, was started, or is closed
     * @throws io.outbox.spi.OutboxBackendException if the store fails; what was delivered and not recorded is kept, and
     *     recorded by the next call
     */
    public int deliverDue() {
        synchronized (deliveringDue) {
            OutboxAssembly.Delivery manual = requireManualDelivery();
            manual.begun().set(true);
            DeliveryEngine engine = manual.engine();
            return engine.deliverQueued() + manual.poller().pollAll(engine::deliverQueued) + engine.deliverKeyed();
        }
    }

    private synchronized OutboxAssembly.Delivery requireManualDelivery() {
        requireOpen();
        if (started || delivery == null) {
            throw new IllegalStateException(
                    "deliverDue() needs an outbox that delivers and was built with startManually() and not started");
        }
        return delivery;
    }

    /**
     * Stops delivery: listeners finish what they have, all else waits in the store. Writing goes on.
     *
     * @throws IllegalStateException if this outbox only writes or is closed
     */
    public void pause() {
        requireDelivery().pauses().pause();
    }

    /**
     * Delivers again after {@link #pause()}.
     *
     * @throws IllegalStateException if this outbox only writes or is closed
     */
    public void resume() {
        requireDelivery().pauses().resume();
    }

    /**
     * Stops delivery of one event type by this node, as {@link #pause()} stops all.
     *
     * @throws IllegalArgumentException if the type has no lane of its own
     * @throws IllegalStateException if this outbox only writes or is closed
     */
    public void pause(String eventType) {
        requireDelivery().pauses().pause(eventType);
    }

    /**
     * Delivers events of the type again after {@link #pause(String)}.
     *
     * @throws IllegalArgumentException if the type has no lane of its own
     * @throws IllegalStateException if this outbox only writes or is closed
     */
    public void resume(String eventType) {
        requireDelivery().pauses().resume(eventType);
    }

    /** Returns the event types that this node has paused by themselves. */
    public Set<String> pausedTypes() {
        return delivery == null ? Set.of() : delivery.engine().pauses().pausedTypes();
    }

    /** Returns the event types that have a lane, and how each is delivered. */
    public Map<String, LanePolicy> lanes() {
        return delivery == null ? Map.of() : delivery.policies().lanes();
    }

    /** Returns how event types without a lane are delivered; empty if this outbox only writes. */
    public Optional<LanePolicy> sharedLane() {
        return Optional.ofNullable(delivery).map(parts -> parts.policies().shared());
    }

    /**
     * Returns the age at which a lock of another node expires and this node takes over its event; empty without locks.
     */
    public Optional<Duration> lockTimeout() {
        return lease().map(Lease::duration);
    }

    /** Returns the name under which this node locks events; empty without locks. */
    public Optional<String> nodeName() {
        return lease().map(Lease::ownerId);
    }

    private Optional<Lease> lease() {
        return Optional.ofNullable(delivery).map(parts -> parts.policies().lease());
    }

    /** Returns the event types that this node is known to have a listener for, in alphabetical order. */
    public Set<String> eventTypes() {
        return delivery == null ? Set.of() : delivery.policies().listeners().eventTypes();
    }

    /** Returns what operators see of the store; empty if they cannot look into it. */
    public Optional<InspectionBackend> inspection() {
        return housekeeping == null ? Optional.empty() : housekeeping.inspection();
    }

    private synchronized DeliveryEngine requireDelivery() {
        requireOpen();
        if (delivery == null) {
            throw new IllegalStateException("This outbox only writes");
        }
        return delivery.engine();
    }

    /** Returns whether events are delivered. */
    public synchronized State state() {
        if (closed) {
            return State.CLOSED;
        }
        if (delivery == null) {
            return State.WRITER_ONLY;
        }
        if (!started) {
            return State.NOT_STARTED;
        }
        return delivery.engine().pauses().isAllPaused() ? State.PAUSED : State.RUNNING;
    }

    /** Returns what this node does at the moment, without asking the store. */
    public NodeStatus nodeStatus() {
        return delivery == null
                ? new NodeStatus(state(), 0, 0, List.of())
                : new NodeStatus(
                        state(),
                        delivery.engine().hotQueueDepth(),
                        delivery.engine().coldQueueDepth(),
                        delivery.engine().unavailable());
    }

    /**
     * Returns the number of events that this node holds: those that are queued, in delivery, or whose outcome is being
     * written.
     */
    public int eventsInHand() {
        return delivery == null ? 0 : delivery.engine().heldEvents();
    }

    /** Returns what this outbox does at the moment; asks the store, which counts all that is due. */
    public OutboxStatus status() {
        NodeStatus node = nodeStatus();
        return new OutboxStatus(
                node.state(),
                node.hotQueueDepth(),
                node.coldQueueDepth(),
                housekeeping == null ? List.of() : housekeeping.pending(clock.instant()),
                housekeeping == null ? 0 : deadEvents().count(null),
                node.unavailable());
    }

    /** Counts the events that are not finished, by type; asks the store. */
    public List<EventCount> counts() {
        List<EventCount> stored = housekeeping == null ? List.of() : housekeeping.counts();
        return stored.stream().map(this::withHeld).toList();
    }

    /** Returns a count of the store in which the events that this node holds count as in process. */
    public EventCount withHeld(EventCount stored) {
        return delivery == null ? stored : delivery.engine().withHeld(stored);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("The outbox is closed; build a new one");
        }
    }

    /**
     * Stops purge, poller, dispatcher and dead letters, in this order. The dispatcher delivers what is queued for up to
     * the drain timeout; what is left goes back to the store. Called again, it waits for the end.
     */
    @Override
    public void close() {
        ending.once(() -> {
            refuseCalls();
            close(listening());
            close(purgeScheduler);
            if (delivery != null) {
                close(delivery.poller());
                close(delivery.engine());
            }
            close(deadLetters); // last, since what dies until then is told
        });
    }

    private synchronized void refuseCalls() {
        closed = true;
    }

    /** Waits for a start that is under way, so that nothing begins after the end. */
    private WakeUp.@Nullable Listening listening() {
        synchronized (starting) {
            return listening;
        }
    }

    private static void close(@Nullable AutoCloseable component) {
        try {
            if (component != null) {
                component.close();
            }
        } catch (Exception e) {
            LOG.log(Level.WARNING, "Failed to close " + component, e);
        }
    }

    /**
     * What all scenarios have in common. Setters check their value, {@code build()} checks how they fit together; each
     * builder builds one outbox. Not thread-safe.
     */
    public abstract static sealed class AbstractBuilder<B extends AbstractBuilder<B>> extends CommonSettings<B>
            permits PooledBuilder, OrderedBuilder, WriterOnlyBuilder {

        private boolean manualStart;
        private boolean built;

        private AbstractBuilder() {}

        /**
         * Leaves delivery stopped until {@link Outbox#start()}, so that listeners can be registered first. Until then,
         * events wait in the store; among several nodes, the others deliver them.
         */
        public B startManually() {
            this.manualStart = true;
            return self();
        }

        /**
         * Builds the outbox and, unless told otherwise, starts it.
         *
         * @throws NullPointerException if something required is missing
         * @throws IllegalStateException if settings do not fit together, or on a second call
         */
        public Outbox build() {
            if (built) {
                throw new IllegalStateException("build() was called already; use a new builder");
            }
            Outbox outbox = new Outbox(assemble());
            built = true;
            if (!manualStart) {
                startOrClose(outbox);
            }
            return outbox;
        }

        abstract OutboxAssembly.Parts assemble();

        private static void startOrClose(Outbox outbox) {
            try {
                outbox.start();
            } catch (RuntimeException | Error e) {
                outbox.close();
                throw e;
            }
        }
    }

    /** What scenarios with several workers have in common. */
    public abstract static sealed class PooledBuilder<B extends PooledBuilder<B>> extends AbstractBuilder<B>
            permits SingleNodeBuilder, MultiNodeBuilder {

        private PooledBuilder() {}

        /** How many events are processed at the same time. Default: {@value OutboxDispatcher#DEFAULT_WORKER_COUNT}. */
        public B workerCount(int workerCount) {
            assembly.delivery.workerCount(workerCount);
            return self();
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_HOT_QUEUE_CAPACITY}. */
        public B hotQueueCapacity(int hotQueueCapacity) {
            assembly.delivery.hotQueueCapacity(hotQueueCapacity);
            return self();
        }

        /** Default: {@value OutboxDispatcher#DEFAULT_COLD_QUEUE_CAPACITY}. */
        public B coldQueueCapacity(int coldQueueCapacity) {
            assembly.delivery.coldQueueCapacity(coldQueueCapacity);
            return self();
        }

        /** How often an event is tried before it goes DEAD. Default: {@value OutboxDispatcher#DEFAULT_MAX_ATTEMPTS}. */
        public B maxAttempts(int maxAttempts) {
            assembly.delivery.maxAttempts(maxAttempts);
            return self();
        }

        /** Default: exponential, from 200 ms to 60 s. */
        public B retryPolicy(RetryPolicy retryPolicy) {
            assembly.delivery.retryPolicy(retryPolicy);
            return self();
        }
    }

    /** Builds an outbox for one node. */
    public static final class SingleNodeBuilder extends PooledBuilder<SingleNodeBuilder> {

        private SingleNodeBuilder() {}

        @Override
        SingleNodeBuilder self() {
            return this;
        }

        @Override
        OutboxAssembly.Parts assemble() {
            return assembly.delivering(true);
        }
    }

    /** Builds an outbox for one of several nodes that share a store. */
    public static final class MultiNodeBuilder extends PooledBuilder<MultiNodeBuilder> {

        private @Nullable Lease lease;

        private MultiNodeBuilder() {}

        /**
         * Required. Holds events under a name that no other node has. A live node keeps its events however long they
         * take; those of a node that died are taken over once the lock timeout has passed.
         */
        public MultiNodeBuilder claimLocking(Duration lockTimeout) {
            this.lease = Lease.of(lockTimeout);
            return this;
        }

        /** As {@link #claimLocking(Duration)}, under the given name, which must differ between nodes. */
        public MultiNodeBuilder claimLocking(String ownerId, Duration lockTimeout) {
            this.lease = new Lease(ownerId, lockTimeout);
            return this;
        }

        /**
         * How long an event that this node has no listener for, or whose payload it cannot read, is left to other nodes
         * before it goes DEAD, counted from its due time. Set it to the time that a deployment takes. With zero, such
         * an event goes DEAD immediately. Default: {@link OutboxDispatcher#DEFAULT_UNROUTABLE_GRACE}.
         */
        public MultiNodeBuilder unroutableGrace(Duration grace) {
            assembly.delivery.unroutableGrace(grace);
            return this;
        }

        /** When events of nodes that died are taken over. Default: with every poll, once their lock has timed out. */
        public MultiNodeBuilder stuckRecovery(StuckRecovery recovery) {
            assembly.polling.recovery(recovery);
            return this;
        }

        @Override
        MultiNodeBuilder self() {
            return this;
        }

        @Override
        OutboxAssembly.Parts assemble() {
            return assembly.deliveringUnder(lease);
        }
    }

    /** Builds an outbox that delivers in order. */
    public static final class OrderedBuilder extends AbstractBuilder<OrderedBuilder> {

        private OrderedBuilder() {}

        @Override
        OrderedBuilder self() {
            return this;
        }

        @Override
        OutboxAssembly.Parts assemble() {
            return assembly.deliveringInOrder();
        }
    }

    /** Builds an outbox that only writes; delivery settings are ignored, but for {@link #subscription}s. */
    public static final class WriterOnlyBuilder extends AbstractBuilder<WriterOnlyBuilder> {

        private WriterOnlyBuilder() {}

        @Override
        WriterOnlyBuilder self() {
            return this;
        }

        @Override
        OutboxAssembly.Parts assemble() {
            return assembly.writing();
        }
    }
}
