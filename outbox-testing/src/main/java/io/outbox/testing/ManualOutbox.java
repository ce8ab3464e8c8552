package io.outbox.testing;

import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dead.DeadEventManager;
import io.outbox.model.EventStatus;
import io.outbox.registry.ListenerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * An outbox in memory that delivers only when told to, on the calling thread, and whose time is moved by hand: for
 * tests of code that writes events and of listeners, without a database, waiting or chance.
 *
 * <pre>{@code
 * try (ManualOutbox outbox = ManualOutbox.create(listeners)) {
 *     outbox.inTransaction(() -> service.placeOrder(outbox.writer()));
 *     outbox.deliverDue();
 *     // assert what the listeners did, and outbox.events()
 * }
 * }</pre>
 *
 * <p>The clock starts at the current time. Events are stamped by the system's clock unless they are begun with
 * {@link #event} or given a time; the outbox's clock never stands before an event that was written: {@link #deliverDue}
 * and {@link #advance} first move it up to the newest one.
 *
 * <p>For one thread at a time.
 */
public final class ManualOutbox implements AutoCloseable {

    private final ManualClock clock;
    private final InMemoryOutboxBackend backend;
    private final Outbox outbox;

    private ManualOutbox(ManualClock clock, InMemoryOutboxBackend backend, Outbox outbox) {
        this.clock = clock;
        this.backend = backend;
        this.outbox = outbox;
    }

    /** Returns an outbox with the default settings of {@link Outbox#singleNode()}. */
    public static ManualOutbox create(ListenerRegistry listeners) {
        return create(listeners, settings -> settings);
    }

    /** Returns an outbox with other settings, for example {@code s -> s.maxAttempts(3)}. */
    public static ManualOutbox create(ListenerRegistry listeners, UnaryOperator<Outbox.SingleNodeBuilder> settings) {
        ManualClock clock = new ManualClock();
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend(clock);
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(listeners)
                .clock(clock)
                .startManually();
        return new ManualOutbox(clock, backend, settings.apply(builder).build());
    }

    /** Returns the writer for the code under test; it works inside {@link #inTransaction}. */
    public OutboxWriter writer() {
        return outbox.writer();
    }

    /** Begins an event that occurs now, by this outbox's clock. */
    public EventEnvelope.Builder event(String eventType) {
        return EventEnvelope.builder(eventType).occurredAt(clock.instant());
    }

    /** Begins an event that occurs now, by this outbox's clock. */
    public EventEnvelope.Builder event(EventType eventType) {
        return event(eventType.name());
    }

    /** Runs the work in a transaction that commits, or rolls back if the work throws. */
    public void inTransaction(Runnable work) {
        backend.inTransaction(work);
    }

    /** Calls the work in a transaction that commits, or rolls back if the work throws, and returns its result. */
    public <T> T callInTransaction(Supplier<T> work) {
        return backend.callInTransaction(work);
    }

    /** Begins a transaction on the calling thread, for tests that commit or roll back themselves. */
    public InMemoryTransaction begin() {
        return backend.begin();
    }

    /**
     * Delivers everything that is due, what listeners write meanwhile included, and returns how many deliveries were
     * made. A failed event is due again after its retry delay: see {@link #advance}.
     */
    public int deliverDue() {
        catchUp();
        return outbox.deliverDue();
    }

    /** Moves the clock forward; delivers nothing. */
    public void advance(Duration duration) {
        catchUp();
        clock.advance(duration);
    }

    /** Moves the clock to the time at which the next event is due; returns false if there is none. */
    public boolean advanceToNextDue() {
        catchUp();
        Optional<Instant> next = backend.nextDueAt(clock.instant());
        next.ifPresent(clock::setTo);
        return next.isPresent();
    }

    private void catchUp() {
        backend.events().stream()
                .map(StoredEvent::createdAt)
                .filter(createdAt -> createdAt.isAfter(clock.instant()))
                .max(Instant::compareTo)
                .ifPresent(clock::setTo);
    }

    /** Returns this outbox's clock, for the code under test. */
    public ManualClock clock() {
        return clock;
    }

    /** Returns all stored events, in the order in which they were committed. */
    public List<StoredEvent> events() {
        return backend.events();
    }

    /** Returns the stored events with this status, in the order in which they were committed. */
    public List<StoredEvent> events(EventStatus status) {
        return events().stream().filter(event -> event.status() == status).toList();
    }

    /** Returns the stored event with this id. */
    public Optional<StoredEvent> find(String eventId) {
        return backend.find(eventId);
    }

    /** Returns access to dead events. */
    public DeadEventManager deadEvents() {
        return outbox.deadEvents();
    }

    @Override
    public void close() {
        outbox.close();
    }
}
