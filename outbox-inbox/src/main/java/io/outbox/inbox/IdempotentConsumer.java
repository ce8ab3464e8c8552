package io.outbox.inbox;

import io.outbox.EventListener;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The consumer whose marks are in a database.
 *
 * <h2>How an event has its effect once</h2>
 *
 * A mark is a row with the key (consumer, event id). In one transaction the marks of all events of the call are
 * inserted, and then the operation runs for the events whose marks were not there. What follows is owed to the key:
 *
 * <ul>
 *   <li><i>The first insert wins.</i> A second transaction that inserts the same key waits in the database until
 *       the first has ended. If that committed, the mark is there, and the second skips the event; if it rolled back,
 *       the second inserts. Nothing is read beforehand: what a transaction reads may be out of date, what it inserts is
 *       not. Which rows are new the insert itself tells, or they do by a token, so that the snapshot of a caller's
 *       transaction does not matter.
 *   <li><i>Mark and effect are one.</i> They commit together or not at all. A crash at any moment leaves both or
 *       neither.
 *   <li><i>Marks come first.</i> All marks are inserted before the operation begins. So whoever runs an operation
 *       waits for no mark, and the operation of a loser never begins.
 * </ul>
 *
 * <h2>Who meets whom</h2>
 *
 * Batches of several nodes may overlap in any way. Marks are inserted in the order of their ids, so that two batches do
 * not wait for each other; where a database locks more than it inserts, they may nevertheless. Then it gives one of
 * them up. If the transaction is ours, it is rolled back and begun again: no operation has begun in it. In a
 * transaction of the caller's the failure has ended more than our statement, and only the caller can repeat that. What
 * an operation throws is never repeated here, not even a deadlock: that is the operation's affair and the next
 * delivery's.
 *
 * <h2>Transactions of the caller's</h2>
 *
 * If the operation fails, the caller is expected to roll back. One who catches the exception and commits would commit
 * marks of events that had no effect, and lose them; so the marks are deleted before the exception is passed on. No
 * savepoint is used: events that the operation wrote to an outbox in the same transaction would not know that they are
 * gone.
 *
 * <h2>Cache and counters</h2>
 *
 * Both are told after the commit. The cache learns every id of the call, of which the marks are committed then, whoever
 * inserted them; in a transaction of the caller's those that the call has inserted. Only a cache that knows an event
 * keeps it from the database. If the end of the transaction is unknown, the cache learns nothing.
 */
final class IdempotentConsumer implements OutboxIdempotentConsumer {

    private final String name;
    private final InboxTransactions transactions;
    private final ConsumedEvents marks;
    private final EventIds eventIds;
    private final Sides sides;
    private final KnownEvents known;
    private final ConsumerMetrics metrics;

    IdempotentConsumer(JdbcInbox.ConsumerBuilder settings, InboxTransactions transactions, ConsumedEvents marks) {
        this(
                settings.name(),
                transactions,
                marks,
                settings.eventIds(),
                new Sides(settings.cache(), settings.metrics()));
    }

    private IdempotentConsumer(
            String name, InboxTransactions transactions, ConsumedEvents marks, EventIds eventIds, Sides sides) {
        this.name = name;
        this.transactions = transactions;
        this.marks = marks;
        this.eventIds = eventIds;
        this.sides = sides;
        this.metrics = new ConsumerMetrics(sides.metrics);
        this.known = new KnownEvents(name, sides.cache, metrics);
    }

    /** What is told besides the database. */
    private record Sides(@Nullable ConsumedEventCache cache, InboxMetrics metrics) {}

    @Override
    public OutboxIdempotentConsumer named(String other) {
        return new IdempotentConsumer(JdbcInbox.validName(other), transactions, marks, eventIds, sides);
    }

    /** What is done with the messages that are new. */
    @FunctionalInterface
    interface Operation<T, R> {
        @Nullable
        R run(List<T> messages) throws Exception;
    }

    /** Thrown by an operation of ours that has not failed and yet must leave no mark and no effect. */
    abstract static class NotDone extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotDone() {
            super(null, null, false, false);
        }
    }

    @Override
    public boolean isIdentified(Object message) {
        Objects.requireNonNull(message, "message");
        try {
            eventIds.inHeader(message);
            return true;
        } catch (RuntimeException e) { // also an extractor or a reader of headers that fails for this message
            return false;
        }
    }

    @Override
    public <T, R> Optional<R> consumeReturning(T message, Supplier<@Nullable R> operation) {
        return one(message, eventIds::inHeader, operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(@Nullable List<T> messages, Function<List<T>, @Nullable R> operation) {
        return many(messages, eventIds::inHeader, operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            T message, EventIdExtractor<? super T> extractor, Supplier<@Nullable R> operation) {
        Objects.requireNonNull(extractor, "extractor");
        return one(message, each -> eventIds.extracted(each, extractor), operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            @Nullable List<T> messages,
            EventIdExtractor<? super T> extractor,
            Function<List<T>, @Nullable R> operation) {
        Objects.requireNonNull(extractor, "extractor");
        return many(messages, each -> eventIds.extracted(each, extractor), operation);
    }

    @Override
    public <R> Optional<R> consumeByIdReturning(String eventId, Supplier<@Nullable R> operation) {
        Objects.requireNonNull(eventId, "eventId");
        return one(eventId, eventIds::given, operation);
    }

    @Override
    public EventListener idempotent(EventListener listener) {
        return IdempotentListener.of(this, Objects.requireNonNull(listener, "listener"));
    }

    private <T, R> Optional<R> one(T message, Function<T, @Nullable String> ids, Supplier<@Nullable R> operation) {
        Objects.requireNonNull(message, "message");
        Objects.requireNonNull(operation, "operation");
        return consumeAll(List.of(message), ids, messages -> operation.get());
    }

    private <T, R> Optional<R> many(
            @Nullable List<T> messages, Function<T, @Nullable String> ids, Function<List<T>, @Nullable R> operation) {
        Objects.requireNonNull(operation, "operation");
        return messages == null || messages.isEmpty() ? Optional.empty() : consumeAll(messages, ids, operation::apply);
    }

    /** Runs the operation for the messages that are new; returns its result, empty if it did not run. */
    <T, R> Optional<R> consumeAll(List<T> messages, Function<T, @Nullable String> ids, Operation<T, R> operation) {
        Batch<T> distinct = identified(messages, ids);
        Batch<T> unknown = distinct.without(known.among(distinct.ids()));
        if (unknown.isEmpty()) {
            metrics.duplicated(messages.size());
            return Optional.empty();
        }
        Call<T, R> call = new Call<>(messages.size(), unknown, operation);
        try {
            return Optional.ofNullable(call.run());
        } catch (NotDone e) {
            throw e;
        } catch (Throwable e) {
            call.fail();
            throw IdempotentConsumer.<RuntimeException>asItWas(e);
        }
    }

    private <T> Batch<T> identified(List<T> messages, Function<T, @Nullable String> ids) {
        try {
            return Batch.of(messages, ids);
        } catch (RuntimeException | Error e) {
            metrics.failed(messages.size());
            throw e;
        }
    }

    /** Checks that this thread is in no transaction, which could not be rolled back alone. */
    void requireNoTransaction() {
        if (context().isTransactionActive()) {
            throw new IllegalStateException(
                    "An idempotent listener was called in a transaction. It has to begin its own,"
                            + " since only what is done may be committed: call it outside of transactions");
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E asItWas(Throwable e) throws E {
        throw (E) e;
    }

    /** One call, on one thread. */
    private final class Call<T, R> implements Callable<@Nullable R> {

        private final int size;
        private final Batch<T> batch;
        private final List<String> sortedIds;
        private final Operation<T, R> operation;
        private final long token = UUID.randomUUID().getLeastSignificantBits();
        private final boolean isJoining = context().isTransactionActive();
        private boolean isMarked;
        private boolean hasFailed;

        Call(int size, Batch<T> batch, Operation<T, R> operation) {
            this.size = size;
            this.batch = batch;
            this.sortedIds = batch.ids().stream().sorted().toList();
            this.operation = operation;
        }

        @Nullable
        R run() throws Exception {
            for (int tries = 1; ; tries++) {
                try {
                    return transactions.run(this);
                } catch (OutboxStoreException e) {
                    if (tries >= marks.maxTries(e) || isJoining || isMarked) {
                        throw e;
                    }
                    Repetition.pause(tries);
                }
            }
        }

        /** Does one try, in the transaction. */
        @Override
        public @Nullable R call() throws Exception {
            Connection conn = context().currentConnection();
            Set<String> added = sortedIds.isEmpty() ? Set.of() : marks.add(conn, name, sortedIds, token);
            isMarked = true;
            Batch<T> fresh = batch.only(added);
            try {
                context().afterCompletion(end -> ended(end, fresh.size(), added));
                return fresh.isEmpty() ? null : operation.run(fresh.messages());
            } catch (Throwable e) {
                if (isJoining) {
                    takeBack(conn, added, e);
                }
                throw e;
            }
        }

        /** A transaction that takes no statement any more cannot be committed either, so that failing is as good. */
        private void takeBack(Connection conn, Set<String> added, Throwable reason) {
            try {
                marks.remove(conn, name, added, token);
            } catch (RuntimeException failure) {
                reason.addSuppressed(failure);
            }
        }

        /** In a transaction of others a mark that was there may be of a call around this one, which takes it back. */
        private void ended(TransactionEnd end, int consumed, Set<String> added) {
            if (end == TransactionEnd.COMMITTED && !hasFailed) {
                known.add(isJoining ? added : sortedIds);
                metrics.consumed(consumed);
                metrics.duplicated(size - consumed);
            } else if (isJoining) {
                fail();
            }
        }

        /** Counts the failure once, however many ways it becomes known. */
        void fail() {
            if (!hasFailed) {
                hasFailed = true;
                metrics.failed(size);
            }
        }
    }

    private TxContext context() {
        return transactions.context();
    }
}
