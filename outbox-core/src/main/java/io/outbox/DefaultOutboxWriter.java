package io.outbox;

import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.StoreBackend;
import io.outbox.spi.TxContext;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;

/**
 * The {@link OutboxWriter} on top of an {@link OutboxBackend}.
 *
 * <p>Order within one {@code writeAll}: {@link WriterHook#beforeWrite beforeWrite}, insert,
 * {@link WriterHook#afterWrite afterWrite}, one registration for the end of the transaction.
 */
public final class DefaultOutboxWriter implements OutboxWriter {

    private static final System.Logger LOG = System.getLogger(DefaultOutboxWriter.class.getName());

    private final OutboxBackend backend;
    private final WriterHook writerHook;

    public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore) {
        this(txContext, outboxStore, WriterHook.NOOP);
    }

    public DefaultOutboxWriter(TxContext txContext, OutboxStore outboxStore, WriterHook writerHook) {
        this(StoreBackend.forWriting(txContext, outboxStore), writerHook);
    }

    public DefaultOutboxWriter(OutboxBackend backend, WriterHook writerHook) {
        this.backend = Objects.requireNonNull(backend, "backend");
        this.writerHook = Objects.requireNonNull(writerHook, "writerHook");
    }

    @Override
    public String write(EventEnvelope event) {
        List<String> ids = writeAll(List.of(Objects.requireNonNull(event, "event")));
        return ids.isEmpty() ? null : ids.get(0);
    }

    @Override
    public String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    @Override
    public String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
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
        List<EventEnvelope> accepted = writerHook.beforeWrite(events);
        if (accepted == null || accepted.isEmpty()) {
            return List.of();
        }
        List<EventEnvelope> batch = List.copyOf(accepted);
        backend.persist(batch, writerHook.ownerId(batch));
        quietly("afterWrite", () -> writerHook.afterWrite(batch));
        Runnable rolledBack = () -> quietly("afterRollback", () -> writerHook.afterRollback(batch));
        try {
            backend.afterCompletion(() -> quietly("afterCommit", () -> writerHook.afterCommit(batch)), rolledBack);
        } catch (RuntimeException | Error e) {
            rolledBack.run();
            throw e;
        }
        return batch.stream().map(EventEnvelope::eventId).toList();
    }

    static void quietly(String phase, Runnable hook) {
        try {
            hook.run();
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "Writer hook failed in " + phase + "; stored events are delivered by the poller", e);
        }
    }
}
