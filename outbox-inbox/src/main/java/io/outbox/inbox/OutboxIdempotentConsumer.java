package io.outbox.inbox;

import io.outbox.EventListener;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs an operation for each event once, however often the event arrives, on however many threads and nodes. Made by
 * {@link JdbcInbox#consumer()}. Thread-safe.
 *
 * <p>The event is marked as consumed in the transaction in which the operation runs: in that of the caller, if this
 * thread is in one, else in one of its own. So mark and effect are there together or not at all, as far as the effect
 * is in the same database. An event that is marked already is skipped without a word; if another transaction is at it,
 * this one waits until that has ended. The mark is of (consumer, event id), so that consumers with different names do
 * not see each other's.
 *
 * <p>What the operation throws comes out as it was, and mark and effect are rolled back: the next delivery runs the
 * operation again. A caller who began the transaction has to roll it back; if it commits nevertheless, the mark is not
 * in it.
 *
 * <p>Acknowledge a message to its broker after these methods have returned and, if the transaction is yours, after you
 * have committed it. Messages are told apart by the header {@code outbox_event_id}, unless an id or an extractor is
 * given. A message without a usable id is refused with an {@link InvalidEventIdException}, or the operation runs for it
 * every time; see {@link JdbcInbox.ConsumerBuilder#unidentified}. {@code null} for an argument is a {@link
 * NullPointerException}, before any transaction begins.
 *
 * <p>A batch is one transaction. The operation is called once, with the messages that are new, in their order, of
 * several with the same id the first; it is not called if none is new. It may keep and change the list. A batch that is
 * {@code null} or empty is none, and nothing happens.
 */
public interface OutboxIdempotentConsumer {

    /**
     * Returns whether the message has a usable event id, or may be consumed without one; not if looking for its id
     * fails. In a batch, one that has not would be refused together with the others.
     */
    boolean isIdentified(Object message);

    /**
     * Returns a consumer with this name that has the same settings, but its own marks. Two listeners for the same
     * events need two names; otherwise each event reaches only one of them.
     *
     * @throws IllegalArgumentException if {@link JdbcInbox#validName} refuses the name
     */
    OutboxIdempotentConsumer named(String name);

    /** Runs the operation, unless the event that the message brings has been consumed. */
    default <T> void consume(T message, Runnable operation) {
        consumeReturning(message, returningNothing(operation));
    }

    /** Runs the operation for those messages whose events have not been consumed. */
    default <T> void consume(@Nullable List<T> messages, Consumer<List<T>> operation) {
        consumeReturning(messages, returningNothing(operation));
    }

    /** Runs the operation, unless the event with the extracted id has been consumed. */
    default <T> void consume(T message, EventIdExtractor<? super T> extractor, Runnable operation) {
        consumeReturning(message, extractor, returningNothing(operation));
    }

    /** Runs the operation for those messages whose extracted ids are not those of consumed events. */
    default <T> void consume(
            @Nullable List<T> messages, EventIdExtractor<? super T> extractor, Consumer<List<T>> operation) {
        consumeReturning(messages, extractor, returningNothing(operation));
    }

    /** Runs the operation, unless the event with this id has been consumed. */
    default void consumeById(String eventId, Runnable operation) {
        consumeByIdReturning(eventId, returningNothing(operation));
    }

    /** Runs the operation, unless the event with this id has been consumed. */
    default void consumeById(UUID eventId, Runnable operation) {
        consumeById(Objects.requireNonNull(eventId, "eventId").toString(), operation);
    }

    /**
     * As {@link #consume(Object, Runnable)}; returns the operation's result, empty if it did not run or returned null.
     */
    <T, R> Optional<R> consumeReturning(T message, Supplier<@Nullable R> operation);

    /**
     * As {@link #consume(List, Consumer)}; returns the operation's result, empty if it did not run or returned null.
     */
    <T, R> Optional<R> consumeReturning(@Nullable List<T> messages, Function<List<T>, @Nullable R> operation);

    /**
     * As {@link #consume(Object, EventIdExtractor, Runnable)}; returns the operation's result, empty if it did not run
     * or returned null.
     */
    <T, R> Optional<R> consumeReturning(
            T message, EventIdExtractor<? super T> extractor, Supplier<@Nullable R> operation);

    /**
     * As {@link #consume(List, EventIdExtractor, Consumer)}; returns the operation's result, empty if it did not run or
     * returned null.
     */
    <T, R> Optional<R> consumeReturning(
            @Nullable List<T> messages,
            EventIdExtractor<? super T> extractor,
            Function<List<T>, @Nullable R> operation);

    /**
     * As {@link #consumeById(String, Runnable)}; returns the operation's result, empty if it did not run or returned
     * null.
     */
    <R> Optional<R> consumeByIdReturning(String eventId, Supplier<@Nullable R> operation);

    /**
     * As {@link #consumeById(UUID, Runnable)}; returns the operation's result, empty if it did not run or returned
     * null.
     */
    default <R> Optional<R> consumeByIdReturning(UUID eventId, Supplier<@Nullable R> operation) {
        return consumeByIdReturning(Objects.requireNonNull(eventId, "eventId").toString(), operation);
    }

    /**
     * Returns a listener of an outbox that does what the given one does, once for each event, in a transaction of this
     * consumer's. For effects in the consumer's database. An event that was consumed counts as done.
     *
     * <p>Only what is done is committed: an event that the listener defers or gives up, or at which it fails, leaves no
     * effect and no mark. A {@link io.outbox.BatchEventListener} stays one and has one transaction for a batch; if not
     * all events of the batch are done, everything is rolled back and each event is delivered again at once, by itself
     * and in a transaction of its own. Called in a transaction, the listener throws an {@link IllegalStateException}.
     */
    EventListener idempotent(EventListener listener);

    private static Supplier<@Nullable Void> returningNothing(Runnable operation) {
        Objects.requireNonNull(operation, "operation");
        return () -> {
            operation.run();
            return null;
        };
    }

    private static <T> Function<List<T>, @Nullable Void> returningNothing(Consumer<List<T>> operation) {
        Objects.requireNonNull(operation, "operation");
        return messages -> {
            operation.accept(messages);
            return null;
        };
    }
}
