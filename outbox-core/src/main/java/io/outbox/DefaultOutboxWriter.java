package io.outbox;

import io.outbox.internal.subscription.Subscriptions;
import io.outbox.internal.writing.HotPath;
import io.outbox.internal.writing.OrderKeys;
import io.outbox.internal.writing.Reservation;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import io.outbox.spi.WriteBackend;
import io.outbox.store.StoreBackend;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link OutboxWriter} on top of a {@link WriteBackend}.
 *
 * <p>Order within one {@code writeAll}: {@link WriterHook#beforeWrite beforeWrite}, one row for each {@link
 * Subscription}, reservation, insert, {@link WriterHook#afterWrite afterWrite}, one registration for the end of the
 * transaction.
 */
public final class DefaultOutboxWriter implements OutboxWriter {

    private static final System.Logger LOG = System.getLogger("io.outbox.writing");

    private final WriteBackend backend;
    private final List<WriterHook> hooks;
    private final Subscriptions subscriptions;
    private final HotPath hotPath;
    private final boolean tellsHooks;
    private final Order order;

    public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore) {
        this(txContext, outboxStore, WriterHook.NOOP);
    }

    public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore, WriterHook writerHook) {
        this(StoreBackend.forWriting(txContext, outboxStore), writerHook);
    }

    public DefaultOutboxWriter(WriteBackend backend, WriterHook writerHook) {
        this(
                backend,
                List.of(Objects.requireNonNull(writerHook, "writerHook")),
                Subscriptions.NONE,
                hotPath(writerHook));
    }

    DefaultOutboxWriter(WriteBackend backend, List<WriterHook> hooks, Subscriptions subscriptions, HotPath hotPath) {
        this(backend, hooks, subscriptions, hotPath, new Order(OrderKeys.NONE, false));
    }

    /**
     * Which events keep their order.
     *
     * @param locks whether other writers of their keys wait until the transaction has ended
     */
    record Order(OrderKeys keys, boolean locks) {}

    DefaultOutboxWriter(
            WriteBackend backend, List<WriterHook> hooks, Subscriptions subscriptions, HotPath hotPath, Order order) {
        this.order = order;
        this.backend = Objects.requireNonNull(backend, "backend");
        this.hooks = List.copyOf(hooks);
        this.subscriptions = subscriptions;
        this.hotPath = hotPath;
        this.tellsHooks = hooks.stream()
                .anyMatch(hook -> isTold(hook) && (overrides(hook, "afterCommit") || overrides(hook, "afterRollback")));
    }

    private static boolean overrides(WriterHook hook, String method) {
        try {
            return hook.getClass().getMethod(method, List.class).getDeclaringClass() != WriterHook.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HotPath hotPath(WriterHook writerHook) {
        HotPath own = writerHook.unwrap(HotPath.class);
        return own == null ? HotPath.NONE : own;
    }

    @Override
    public @Nullable String write(EventEnvelope event) {
        List<String> ids = writeAll(List.of(Objects.requireNonNull(event, "event")));
        return ids.isEmpty() ? null : ids.get(0);
    }

    @Override
    public List<String> writeAll(List<EventEnvelope> events) {
        Objects.requireNonNull(events, "events");
        for (EventEnvelope event : events) {
            Objects.requireNonNull(event, "events must not contain null");
        }
        if (backend.requiresActiveTransaction() && !backend.isTransactionActive()) {
            throw new IllegalStateException(backend.noTransactionReason());
        }
        List<EventEnvelope> batch = accepted(events);
        if (batch.isEmpty()) {
            return List.of();
        }
        List<EventEnvelope> rows = subscriptions.rowsOf(batch);
        Reservation reservation = hotPath.reserve(rows);
        try {
            List<NewEvent> toWrite = order.keys.in(reservation.events());
            if (order.locks) {
                lock(OrderKeys.sorted(toWrite));
            }
            reservation.written(backend.persist(toWrite));
        } catch (DuplicateEventException e) {
            endUnwritten(reservation);
            throw Subscriptions.ofEvents(e, rows);
        } catch (RuntimeException | Error e) {
            endUnwritten(reservation);
            throw e;
        }
        each("afterWrite", hook -> hook.afterWrite(rows));
        // rows that no hook asks for are not kept until the end of the transaction, which may write many
        List<EventEnvelope> told = tellsHooks ? rows : List.of();
        try {
            backend.afterCompletion(end -> ended(told, reservation, end));
        } catch (RuntimeException | Error e) {
            ended(told, reservation, TransactionEnd.UNKNOWN);
            throw e;
        }
        return batch.stream().map(EventEnvelope::eventId).toList();
    }

    private void lock(Set<String> keys) {
        if (!keys.isEmpty()) {
            backend.lockKeys(keys);
        }
    }

    private List<EventEnvelope> accepted(List<EventEnvelope> events) {
        List<EventEnvelope> batch = events;
        for (WriterHook hook : hooks) {
            if (batch == null || batch.isEmpty()) {
                return List.of();
            }
            batch = hook.beforeWrite(batch);
        }
        return batch == null
                ? List.of()
                : batch.stream().map(EventEnvelope::asStored).toList();
    }

    private void ended(List<EventEnvelope> rows, Reservation reservation, TransactionEnd end) {
        quietly("the end of the transaction", () -> reservation.ended(end));
        if (end == TransactionEnd.COMMITTED) {
            each("afterCommit", hook -> hook.afterCommit(rows));
        } else {
            each("afterRollback", hook -> hook.afterRollback(rows));
        }
    }

    /**
     * Ends a reservation whose write failed. Some of the events may be there all the same, if the caller goes on and
     * commits; only a rollback makes sure that none is.
     */
    private void endUnwritten(Reservation reservation) {
        quietly("a failed write", () -> {
            if (!backend.requiresActiveTransaction()) {
                reservation.ended(TransactionEnd.UNKNOWN);
                return;
            }
            backend.afterCompletion(
                    end -> reservation.ended(end == TransactionEnd.COMMITTED ? TransactionEnd.UNKNOWN : end));
        });
    }

    /** Calls the hooks whose part is not done by the reservation, whatever another one throws. */
    private void each(String phase, Consumer<WriterHook> call) {
        for (WriterHook hook : hooks) {
            if (isTold(hook)) {
                quietly(phase, () -> call.accept(hook));
            }
        }
    }

    private boolean isTold(WriterHook hook) {
        return hotPath == HotPath.NONE || hook.unwrap(HotPath.class) != hotPath;
    }

    private static void quietly(String phase, Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "Writer hook failed in " + phase + "; stored events are delivered by the poller", e);
        }
    }
}
