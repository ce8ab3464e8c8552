package io.outbox.spring.boot.test;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.spi.JsonCodec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.assertj.core.api.AssertProvider;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The outbox of a test's application in the hands of the test: delivers, moves the clock, and shows what was written. A
 * bean of contexts whose test class has {@link AutoConfigureOutboxTester}. If the context has several outboxes, it
 * speaks for all of them together.
 *
 * <p>It knows what the current test method has written, {@code @BeforeEach} included, through this context: from the
 * moment of writing, in a transaction that has not ended yet too, until the method ends. An event that is rolled back
 * was never written. What earlier methods, {@code @BeforeAll} or the start of the application have left is neither
 * shown nor delivered, and no row is deleted.
 *
 * <p>Time stands still between calls, except that it comes up to the present with each event that is written.
 * Everything runs on the calling thread, and nothing is delivered in between.
 *
 * <p>With AssertJ: {@code assertThat(outbox).hasWritten("OrderPlaced")}; see {@link OutboxTesterAssert}.
 */
public final class OutboxTester implements AssertProvider<OutboxTesterAssert> {

    /** More than any test needs, and soon enough for one that would never end. */
    private static final int MOST_ROUNDS = 1000;

    private final ObjectProvider<Outbox> outboxes;
    private final ObjectProvider<JsonCodec> codecs;
    private final EventRecord record;
    private final TestTime time;

    OutboxTester(ObjectProvider<Outbox> outboxes, ObjectProvider<JsonCodec> codecs, EventRecord record, TestTime time) {
        this.outboxes = outboxes;
        this.codecs = codecs;
        this.record = record;
        this.time = time;
    }

    /**
     * Delivers everything that is committed and due, what listeners write meanwhile included. An event that fails is
     * due again after its retry delay, see {@link #advance}.
     *
     * @return how many deliveries were made, failed ones included
     * @throws IllegalStateException if the calling thread is in a transaction, whose events are not there to be
     * delivered
     *     and which listeners must not join; or if no outbox can be delivered by hand
     */
    public int deliverDue() {
        requireNoTransaction();
        List<Outbox> delivering = delivering();
        int total = 0;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            int delivered = delivering.stream().mapToInt(Outbox::deliverDue).sum();
            if (delivered == 0) {
                return total;
            }
            total += delivered;
        }
        throw endless();
    }

    /**
     * Delivers everything that is committed, whenever it is due: as {@link #deliverDue()}, moving the clock from one
     * due time to the next, until every event is delivered or dead.
     *
     * @return how many deliveries were made, failed ones included
     * @throws IllegalStateException as {@link #deliverDue()}, or if there is always one more
     */
    public int deliverAll() {
        int total = deliverDue();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (!advanceToNextDue()) {
                return total;
            }
            total += deliverDue();
        }
        throw endless();
    }

    private static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "This thread is in a transaction: what it has written is not delivered before"
                            + " the commit, and listeners must not take part in it. In a @Transactional test call"
                            + " TestTransaction.flagForCommit() and TestTransaction.end() first");
        }
    }

    private List<Outbox> delivering() {
        requireOutbox();
        List<Outbox> delivering = outboxes.orderedStream()
                .filter(outbox -> outbox.state() != State.WRITER_ONLY)
                .toList();
        if (delivering.isEmpty()) {
            throw new IllegalStateException("The application's outbox only writes, so there is nothing to deliver");
        }
        return delivering;
    }

    private void requireOutbox() {
        outboxes.orderedStream().forEach(outbox -> {});
        if (!record.hasBegun()) {
            throw new IllegalStateException(
                    "This context has no outbox that the starter has built: it has no DataSource,"
                            + " outbox.enabled is false, or the application builds its Outbox without OutboxFactory");
        }
    }

    private static IllegalStateException endless() {
        return new IllegalStateException("After " + MOST_ROUNDS + " rounds there are still events to deliver; does a"
                + " listener write an event, or ask for a retry, each time it gets one?");
    }

    /** Moves the clock forward; delivers nothing. */
    public void advance(Duration duration) {
        time.advance(duration);
    }

    /**
     * Moves the clock to the time at which the next committed event is due; delivers nothing.
     *
     * @return false if no event waits for a later time
     */
    public boolean advanceToNextDue() {
        requireOutbox();
        Optional<Instant> next = record.events().stream()
                .filter(event -> event.committed() && event.isPending())
                .map(WrittenEvent::dueAt)
                .filter(now()::isBefore)
                .min(Instant::compareTo);
        next.ifPresent(due -> time.advance(Duration.between(now(), due)));
        return next.isPresent();
    }

    /** Returns the time by which events are due. */
    public Instant now() {
        return time.clock().instant();
    }

    /** Returns the clock by which events are due, for beans of the application that are to agree with it. */
    public Clock clock() {
        return time.clock();
    }

    /**
     * Returns what the current test has written, in the order of writing, committed or not. An event with subscriptions
     * is one event: pending as long as one of them waits for it, and dead if one of them has given it up in the end.
     */
    public List<WrittenEvent> written() {
        requireOutbox();
        return AsWritten.of(record.events());
    }

    /**
     * Returns the events of this type that the current test has written, in the order of writing, committed or not.
     * What one subscription has of them has the type {@code type#subscription}.
     */
    public List<WrittenEvent> written(String eventType) {
        return Stream.concat(written().stream(), record.events().stream().filter(AsWritten::isOfSubscription))
                .filter(event -> event.eventType().equals(eventType))
                .toList();
    }

    /** Returns the assertions on this outbox; what {@code assertThat(outbox)} of AssertJ calls. */
    @Override
    public OutboxTesterAssert assertThat() {
        return new OutboxTesterAssert(this);
    }

    /** Returns what reads payloads: the codec of this context. */
    JsonCodec codec() {
        return codecs.getIfUnique(JsonCodec::getDefault);
    }

    /** Forgets what was written until now, and what the outboxes still hold of it, and returns to the present. */
    void begin() {
        boolean leftovers = record.events().stream().anyMatch(event -> event.committed() && event.isPending());
        if (leftovers) {
            outboxes.orderedStream()
                    .filter(outbox -> outbox.state() == State.NOT_STARTED)
                    .forEach(OutboxTester::emptyQueues);
        }
        record.clear();
        time.begin();
    }

    /** A pause gives everything that is queued back to the store. */
    private static void emptyQueues(Outbox outbox) {
        outbox.pause();
        outbox.resume();
    }
}
